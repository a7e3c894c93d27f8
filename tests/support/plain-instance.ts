import type { Instance } from '#site/instance.ts'

/** Without anything that its operator may choose. */
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
