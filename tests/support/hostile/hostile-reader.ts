// `hostile-reader.ts <what> <server>`: reads what the server of an account says, as the service does, keeps what the
// service would keep, and prints by how many bytes its resident memory grew at most. A program of its own, so that
// memory of the test and of the server does not count.
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { listRecordKeys } from '#atproto/repo/list-records.ts'
import { readRepository } from '#publish/repository/read-repository.ts'
import { parsePart } from '#site/record/part.ts'
import { alice } from '#tests/support/database/sample-rows.ts'

const partsMax = 300
const [, , what = '', server = ''] = process.argv

const readers: Readonly<Record<string, () => Promise<unknown>>> = {
  cids: () =>
    readRepository(
      new AccountRepo(alice, async () => ({
        did: alice,
        handle: (path, init) => fetch(new URL(path, server), init),
      })),
    ),
  keys: () =>
    listRecordKeys(
      { did: alice, pds: server },
      { collection: 'place.sitehost.fs', recordsMax: 1000 },
      { fetch: (url, init) => fetch(url, init), signal: new AbortController().signal },
    ),
  types: async () => {
    const parts: unknown[] = []
    for (let n = 0; n < partsMax; n++) parts.push(parsePart(await (await fetch(server)).json()))
    return parts
  },
}

const before = process.memoryUsage.rss()
let peak = before
const sampler = setInterval(measure, 10)
// An answer of this kind may be refused: then nothing is kept.
const kept = await readers[what]?.().catch((error: Error) => error.name)
clearInterval(sampler)
measure()
process.stdout.write(JSON.stringify({ grew: peak - before, outcome: outcomeOf(kept) }))

function measure(): void {
  peak = Math.max(peak, process.memoryUsage.rss())
}

function outcomeOf(value: unknown): string {
  return Array.isArray(value) ? `${value.length} kept` : typeof value === 'string' ? value : 'read'
}
