import type { Instance } from '#site/instance.ts'

/** An instance without optional settings. */
export const plainInstance: Instance = {
  name: 'Sitehost',
  origin: 'https://sitehost.example',
  contact: null,
  termsUrl: null,
  privacyUrl: null,
  baseDomain: 'sites.example',
  frontPageText: [],
  logoPath: null,
  sourceUrl: null,
  statusUrl: null,
  version: '0',
}
