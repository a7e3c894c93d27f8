export const notFound = {
  title: 'Page not found',
  text: 'Nothing is at this address. It may have been mistyped, or moved.',
  toSites: 'Go to your sites',
}
