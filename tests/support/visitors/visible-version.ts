import { expect } from 'bun:test'

/** Files that say which version they are of: a page, and one that only this version has. */
export function filesOfVersion(version: number): Readonly<Record<string, string>> {
  return { 'index.html': `version ${version}`, [markPath(version)]: `mark of ${version}` }
}

const markPath = (version: number): string => `mark-${version}.txt`

/**
 * The version that visitors of a site get; null: nothing, the page is a 404. Throws when anything of another
 * version is there as well.
 */
export async function visibleVersion(site: string | URL): Promise<number | null> {
  const version = await pageVersion(site)
  if (version === null) return null
  const candidates = [version - 1, version, version + 1]
  const marks = await Promise.all(candidates.map((candidate) => markOf(site, candidate)))
  // Another version may have gone live between the two requests: then look at that one.
  if ((await pageVersion(site)) !== version) return await visibleVersion(site)
  expect(marks).toEqual([null, `mark of ${version}`, null])
  return version
}

async function pageVersion(site: string | URL): Promise<number | null> {
  const answer = await fetch(site)
  const page = await answer.text()
  return answer.status === 404 ? null : Number(/^version (\d+)$/.exec(page)?.[1])
}

async function markOf(site: string | URL, version: number): Promise<string | null> {
  const answer = await fetch(new URL(markPath(version), site))
  const text = await answer.text()
  return answer.status === 404 ? null : text
}
