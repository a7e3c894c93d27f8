import { expect, test } from 'bun:test'
import { ServedNames } from '#edge/names/served-names.ts'
import type { VersionName } from '#edge/names/version-names.ts'
import { knownOf } from '#tests/support/certificates/known-names.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'

const sites = 10_000
const versionsOfSite = 10
const labelOf = (site: number) => `s--${site}`
const claimedOf = (site: number) => `site-${site}.sites.example`

/** Nine versions, and a preview below the site's claimed name. */
const versionsOf = (site: number): VersionName[] => {
  const facts = { owner: alice, siteLabel: labelOf(site) }
  const labels = Array.from({ length: versionsOfSite - 1 }, (_, n) => `v--${site}-${n}`)
  const versions = labels.map((name) => ({ ...facts, name, below: null }))
  return [...versions, { ...facts, name: `pr--${claimedOf(site)}`, below: claimedOf(site) }]
}

function manyNames(): ServedNames {
  const names = new ServedNames({ baseDomain: 'sites.example' })
  const all = Array.from({ length: sites }, (_, site) => site)
  const known = knownOf(
    names,
    all.flatMap((site) => [labelOf(site), claimedOf(site)]),
    all.flatMap(versionsOf),
  )
  names.know(known)
  return names
}

test('a change costs no walk over 100 000 names of versions', () => {
  const names = manyNames()
  expect(names.size).toBe(sites * (2 + versionsOfSite))
  const learn = (site: number) =>
    names.learn([labelOf(site)], new Map([[labelOf(site), alice]]), {
      sites: new Set([labelOf(site)]),
      ofVersions: versionsOf(site),
    })
  learn(0)
  // A walk takes some 5 ms.
  expect(cpuMs(() => Array.from({ length: 1_000 }, (_, site) => learn(site)))).toBeLessThan(300)
  expect(names.size).toBe(sites * (2 + versionsOfSite))
})

test('a site or a name that goes takes the names of its versions along, and no others', () => {
  const names = manyNames()
  names.learn([claimedOf(1)], new Map(), { sites: new Set(), ofVersions: [] })
  expect(['pr--site-1.sites.example', 'v--1-0', 'v--2-0'].map((name) => names.has(name))).toEqual([
    ...[false, true, true],
  ])
  names.learn([labelOf(1)], new Map(), { sites: new Set([labelOf(1)]), ofVersions: [] })
  expect(['s--1', 'v--1-0', 'v--1-8', 's--2', 'v--2-0'].map((name) => names.has(name))).toEqual([
    ...[false, false, false, true, true],
  ])
  expect(names.size).toBe((sites - 1) * (2 + versionsOfSite))
})
