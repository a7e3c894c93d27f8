/**
 * A valid site name that a person would have chosen for this folder; '' where the folder's name says
 * nothing about the site. `Café photos (2)` becomes `Cafe-photos-2`.
 */
export function suggestSiteName(folder: string): string {
  const name = folder
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._~:-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, siteNameCharsMax)
  return buildFolders.has(name.toLowerCase()) ? '' : name
}

/** The name, or with a number the next one that no site has: `garden-2`. */
export function freeSiteName(name: string, siteNames: readonly string[]): string {
  const taken = new Set(siteNames)
  let free = name
  for (let number = 2; taken.has(free); number++) {
    const end = `-${number}`
    free = name.slice(0, siteNameCharsMax - end.length) + end
  }
  return free
}

export const siteNameCharsMax = 512

// Tools call their output so in every project: the second project would replace the first one's site.
const buildFolders = new Set(['build', 'dist', 'out', 'public', '_site', 'www', 'html'])
