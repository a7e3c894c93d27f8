import { expect, test } from 'bun:test'
import { ingestFamilies } from './ingest-families.ts'
import type { IngestNumbers } from './ingest-numbers.ts'

test('an instance for which another one reads the firehose does not say that it is away', () => {
  const connected = (isElsewhere: boolean) => {
    const firehose = { isConnected: false, isElsewhere, latestAt: null, problems: 0, steps: 0 }
    const numbers = { firehose: { ...firehose, lagMs: 0 } } as unknown as IngestNumbers
    const families = ingestFamilies(
      () => numbers,
      () => 1,
    )
    return families.find(({ name }) => name === 'sitehost_firehose_connected')?.read()
  }
  expect([connected(false), connected(true)]).toEqual([[{ value: 0 }], []])
})
