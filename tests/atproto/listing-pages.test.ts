import { describe, expect, test } from 'bun:test'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { FetchLimitError } from '#outbound/fetch-limits.ts'
import { alice } from '#tests/support/database/sample-rows.ts'

describe('listRecords asks for records', () => {
  const recordOf = (n: number, bytes: number) => ({
    ...{ uri: `at://${alice}/place.sitehost.fs/${n}`, cid: `cid-${n}` },
    value: { text: 'x'.repeat(bytes) },
  })
  /** How many each request asks for, of a server that does not send more than 32 MiB. */
  const limitsFor = async (sizes: readonly number[]): Promise<number[]> => {
    const limits: number[] = []
    const handle = async (path: string) => {
      const query = new URL(path, 'http://pds.test').searchParams
      const from = Number(query.get('cursor') ?? 0)
      const limit = Number(query.get('limit'))
      limits.push(limit)
      const some = sizes.slice(from, from + limit)
      if (some.reduce((sum, size) => sum + size, 0) > 32 * MiB)
        throw new FetchLimitError('bytes', path)
      const to = from + some.length
      return Response.json({
        records: some.map((bytes, n) => recordOf(from + n, bytes)),
        ...(to < sizes.length && { cursor: String(to) }),
      })
    }
    const repo = new AccountRepo(alice, async () => ({ did: alice, handle }))
    const records = await repo.listRecords('place.sitehost.fs', { recordsMax: 999, valuesMax: 1e6 })
    expect(records.map(({ rkey }) => Number(rkey))).toEqual(sizes.map((_, n) => n))
    return limits
  }
  const MiB = 1024 * 1024

  test('a hundred at a time once they are small', async () => {
    expect(await limitsFor(Array(230).fill(16))).toEqual([20, 100, 100, 100])
  })
  test('twenty at a time while they are large', async () => {
    expect(await limitsFor(Array(50).fill(100 * 1024))).toEqual([20, 20, 20])
  })
  test('fewer when large ones follow small ones', async () => {
    const sizes = [...Array(30).fill(16), ...Array(90).fill(MiB / 2)]
    expect(await limitsFor(sizes)).toEqual([20, 100, 20, 20, 20, 20, 20])
  })
  test('fewer from then on, so that no second page is read twice', async () => {
    const sizes = [...Array(20).fill(16), ...Array(80).fill(MiB / 2), ...Array(50).fill(16)]
    expect(await limitsFor(sizes)).toEqual([20, 100, 20, 20, 20, 20, 20, 20, 20])
  })
})
