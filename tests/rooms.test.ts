import { beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { rooms, withImportRules } from '../scripts/rooms.ts'
import { biomeLint } from './support/biome-lint.ts'

const root = join(import.meta.dir, '..')

const allowed: [string, string][] = [
  ['src/site/x.ts', "import { parseWeights } from '#http/quality-values.ts'"],
  ['src/site/visit/x.ts', "import { parseManifest } from '#site/record/manifest.ts'"],
  ['src/site/visit/x.ts', "import { parseSiteName } from '#site/site-name.ts'"],
  ['src/site/record/x.test.ts', "import { resolve } from '#site/visit/resolve.ts'"],
  ['src/main/x.ts', "import { createApp } from '#api/app.ts'"],
  ['src/api/x.ts', "import { queueJob } from '#publish/jobs/queue-job.ts'"],
  ['src/api/x.ts', "import { verifyDomain } from '#domains/verify-domain.ts'"],
  ['src/edge/x.ts', "import type { Db } from '#store/database/database.ts'"],
  ['src/ingest/x.ts', "import { parseSiteName } from '#site/site-name.ts'"],
  ['src/site/x.ts', "import { isEntryName } from './path.ts'"],
  ['web/x.ts', "import { parseSiteName } from '#site/site-name.ts'"],
  ['web/x.ts', "import type { Site } from '#api/contract/client.ts'"],
]

const refused: [string, string][] = [
  ['src/http/x.ts', "import { parseSiteName } from '#site/site-name.ts'"],
  ['src/concurrency/x.ts', "import { safeFetch } from '#outbound/safe-fetch.ts'"],
  ['src/outbound/x.ts', "import type { Did } from '#atproto/identity/identity.ts'"],
  ['src/site/record/x.ts', "import { resolve } from '#site/visit/resolve.ts'"],
  ['src/site/record/x.ts', "import type { ResolveContext } from '#site/visit/resolve.ts'"],
  ['src/site/record/x.ts', "import { resolve } from '../visit/resolve.ts'"],
  ['src/site/record/x.ts', "import type { Db } from '#store/database/database.ts'"],
  ['src/site/upload/x.ts', "import { resolve } from '#site/visit/resolve.ts'"],
  ['src/site/record/x.ts', "import { applyChanges } from '#site/upload/apply-changes.ts'"],
  ['src/site/x.ts', "import { parseManifest } from '#site/record/manifest.ts'"],
  ['src/publish/upload/x.ts', "import { publishSite } from '#publish/publish-site.ts'"],
  ['src/publish/x.ts', "import { queueJob } from '#publish/jobs/queue-job.ts'"],
  ['src/site/record/x.test.ts', "import type { Db } from '#store/database/database.ts'"],
  ['src/site/x.ts', "import { openDatabase } from '#store/database/database.ts'"],
  ['src/site/x.ts', "import type { Db } from '#store/database/database.ts'"],
  ['src/site/x.ts', "import { type Db } from '#store/database/database.ts'"],
  ['src/site/x.ts', "export type { Db } from '#store/database/database.ts'"],
  ['src/site/x.ts', "const store = await import('#store/database/database.ts')"],
  ['src/store/x.ts', "import type { BlobStore } from '#blobs/blob-store.ts'"],
  ['src/publish/x.ts', "import { ingestSite } from '#ingest/ingest-site.ts'"],
  ['src/domains/x.ts', "import { queueJob } from '#publish/jobs/queue-job.ts'"],
  ['src/edge/x.ts', "import { createApp } from '#api/app.ts'"],
  ['src/observe/x.ts', "import type { Did } from '#atproto/identity/identity.ts'"],
  ['src/api/x.ts', "import { readConfig } from '#main/config/config.ts'"],
  ['src/site/x.ts', "import { openDatabase } from '../store/database.ts'"],
  ['web/x.ts', "import { routes } from '#api/contract/routes.ts'"],
  ['web/x.ts', "import type { Db } from '#store/database/database.ts'"],
]

const rows = [...allowed, ...refused]
const fileOf = (row: [string, string]): string => row[0].replace(/x(?=\.)/, `x${rows.indexOf(row)}`)

let output = ''
beforeAll(async () => {
  const files = Object.fromEntries(rows.map((row) => [fileOf(row), row[1]]))
  output = await biomeLint(files, 'style/noRestrictedImports')
})

const isRefused = (row: [string, string]): boolean => output.includes(`/${fileOf(row)},`)

describe('imports only point right', () => {
  for (const row of allowed) {
    test(row.join(': '), () => expect(isRefused(row)).toBe(false))
  }
})

describe('every other import is refused, types included', () => {
  for (const row of refused) {
    test(row.join(': '), () => expect(isRefused(row)).toBe(true))
  }
})

describe('one table says it', () => {
  test('biome.json has the rules of scripts/rooms.ts: `npm run rooms` writes them', async () => {
    const biomeJson = await Bun.file(join(root, 'biome.json')).text()
    expect(JSON.parse(biomeJson)).toEqual(JSON.parse(withImportRules(biomeJson)))
  })

  test('ARCHITECTURE.md shows the rooms in the same order', async () => {
    expect(await Bun.file(join(root, 'ARCHITECTURE.md')).text()).toContain(rooms)
  })

  test('ARCHITECTURE.md names every folder of every room, and files that are there', async () => {
    const text = await Bun.file(join(root, 'ARCHITECTURE.md')).text()
    const table = text.matchAll(/^\| `(\w+)\/` *\|[^|]*\|([^|]*)\|([^|]*)\|$/gm)
    const named = Array.from(table, ([, room = '', folders = '', begin = '']) => ({
      room,
      // In brackets is what is in a folder.
      folders: wordsIn(folders.replace(/\([^)]*\)/g, '')).sort(),
      begin: wordsIn(begin),
    }))
    expect(named.map(({ room }) => room).sort()).toEqual(await foldersIn('src'))
    for (const { room, folders, begin } of named) {
      expect([room, folders]).toEqual([room, await foldersIn(`src/${room}`)])
      for (const file of begin) {
        expect([file, await Bun.file(join(root, 'src', room, file)).exists()]).toEqual([file, true])
      }
    }
  })
})

const wordsIn = (cell: string): string[] =>
  Array.from(cell.matchAll(/`([^`]+)`/g), ([, word = '']) => word)

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort()
}
