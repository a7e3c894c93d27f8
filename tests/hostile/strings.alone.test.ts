import { expect, test } from 'bun:test'
import { join } from 'node:path'

// Every string of a record has its bound when it is read: what an account's server sends is held for as long as one
// answer is read, and never for a whole collection. Without bounds these take 300 to 480 MB.

const mebibyte = 1024 * 1024
const recordsPerPage = 20
const pagesMax = 15

/** Pages of `listRecords` that have a record with a string of so many bytes, each another. */
function pagesOf(recordWith: (text: string, n: number) => object, bytes: number) {
  let pages = 0
  return () => {
    pages += 1
    const records = Array.from({ length: recordsPerPage }, (_, n) =>
      recordWith(`${pages}${'a'.repeat(bytes)}`, pages * recordsPerPage + n),
    )
    return Response.json({ records, ...(pages < pagesMax && { cursor: `${pages}` }) })
  }
}

const uri = (key: string | number) => `at://did:plc:alice/place.sitehost.fs/${key}`
const cid = 'bafkreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae'
const blob = { $type: 'blob', ref: { $link: cid }, mimeType: 'text/plain', size: 1 }
const fileOf = (mimeType: string) => ({ type: 'file', blob, mimeType })
const part = (mimeType: string) => ({
  $type: 'place.sitehost.subfs',
  root: { type: 'directory', entries: [{ name: 'a', node: fileOf(mimeType) }] },
  createdAt: '2026-01-01T00:00:00.000Z',
})

const rows: readonly {
  readonly what: string
  readonly answer: () => Response
  readonly outcome: string
}[] = [
  {
    what: 'cids',
    answer: pagesOf((text, n) => ({ uri: uri(n), cid: text, value: {} }), 1_400_000),
    outcome: 'UnusableAnswerError',
  },
  {
    what: 'keys',
    answer: pagesOf((text, n) => ({ uri: uri(`${text}${n}`), cid, value: {} }), 1_500_000),
    outcome: 'UnusableAnswerError',
  },
  {
    what: 'types',
    answer: () => Response.json(part(`text/${'a'.repeat(1_000_000)}`)),
    outcome: '300 kept',
  },
]

for (const { what, answer, outcome } of rows) {
  test(`${what} of a megabyte and more are not kept`, async () => {
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.includes('getLatestCommit') ? Response.json({ cid, rev: '3kaaaaaaaaaa2' }) : answer(),
    })
    const reader = Bun.spawn(
      [
        process.execPath,
        join(import.meta.dir, '../support/hostile/hostile-reader.ts'),
        what,
        server.url.origin,
      ],
      { stderr: 'inherit' },
    )
    const read = JSON.parse(await new Response(reader.stdout).text())
    process.stderr.write(`${what}: ${(read.grew / mebibyte).toFixed(0)} MB, ${read.outcome}\n`)
    expect(read.outcome).toBe(outcome)
    expect(read.grew).toBeLessThan(192 * mebibyte)
  }, 60_000)
}
