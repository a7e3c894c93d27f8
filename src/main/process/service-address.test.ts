import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { announceAddress, readServiceAddress } from './service-address.ts'

test('is there while the service is, and nothing else is taken for one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'service-address-'))
  const address = { origin: 'https://app.example', host: '127.0.0.1', port: 4100 }
  {
    await using _ = await announceAddress(dir, address)
    expect(await readServiceAddress(dir)).toEqual(address)
  }
  expect(await readServiceAddress(dir)).toBeNull()
  for (const text of ['', '{"origin":', '{"origin":1}', '[]']) {
    await Bun.write(join(dir, 'address'), text)
    expect(await readServiceAddress(dir)).toBeNull()
  }
  await rm(dir, { recursive: true })
})
