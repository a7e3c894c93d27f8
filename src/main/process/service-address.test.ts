import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Announcement, announceAddress, readAnnouncement } from './service-address.ts'

test('is there while the service is, and nothing else is taken for one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'service-address-'))
  const parts: Announcement['parts'] = ['app', 'hosting']
  const address = {
    ...{ origin: 'https://app.example', host: '127.0.0.1', port: 4100, parts },
    askListen: { host: '127.0.0.1', port: 3001 },
  }
  {
    await using _ = await announceAddress(dir, address)
    expect(await readAnnouncement(dir, 'app')).toEqual(address)
  }
  expect(await readAnnouncement(dir, 'app')).toBeNull()
  for (const text of ['', '{"origin":', '{"origin":1}', '[]']) {
    await Bun.write(join(dir, 'address'), text)
    expect(await readAnnouncement(dir, 'app')).toBeNull()
  }
  await rm(dir, { recursive: true })
})

test('two processes have one each, until one process is both', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'service-address-'))
  const at = { origin: 'https://app.example', host: '127.0.0.1', askListen: null }
  const parts = async () => [
    (await readAnnouncement(dir, 'app'))?.port,
    (await readAnnouncement(dir, 'hosting'))?.port,
  ]
  await announceAddress(dir, { ...at, port: 1, parts: ['app'] })
  await announceAddress(dir, { ...at, port: 2, parts: ['hosting'] })
  expect(await parts()).toEqual([1, 2])
  await announceAddress(dir, { ...at, port: 3, parts: ['app', 'hosting'] })
  expect(await parts()).toEqual([3, undefined])
  await rm(dir, { recursive: true })
})
