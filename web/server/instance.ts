import type { Instance } from '#site/instance.ts'

const plain: Instance = {
  name: 'Sitehost',
  origin: location.origin,
  baseDomain: 'localhost',
  contact: null,
  termsUrl: null,
  privacyUrl: null,
  frontPageText: [],
  logoPath: null,
  sourceUrl: null,
  statusUrl: null,
  version: '',
}

/** As the server wrote it into the page. */
export const instance: Instance = read()

function read(): Instance {
  const content = document.querySelector<HTMLMetaElement>('meta[name="instance"]')?.content
  return content ? { ...plain, ...JSON.parse(content) } : plain
}
