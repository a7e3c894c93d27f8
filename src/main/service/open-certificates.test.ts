import { expect, test } from 'bun:test'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import { ServedNames } from '#edge/names/served-names.ts'
import { saveCertificate, wantCertificates } from '#store/certificates/certificates.ts'
import type { Db } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { eventually } from '#tests/support/eventually.ts'
import { openFileCertificates, openOrderedCertificates } from './open-certificates.ts'

async function open(db: Db, signal: AbortSignal) {
  const names = new ServedNames({ baseDomain: 'sites.example' })
  names.know(names.empty())
  return await openOrderedCertificates(await openFileCertificates([]), {
    ...{ db, names, wakeUps: new WakeUps(), log: recordingLog([]), now: Date.now },
    hosts: { applicationHost: 'app.example', baseDomain: 'sites.example' },
    ...{ ordersWildcard: true, secrets: ['x'.repeat(32)], signal },
  })
}

test('nothing is wanted before challenges are answered', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  const stop = new AbortController()
  const certificates = await open(db, stop.signal)
  const wanted = async () =>
    (await db.selectFrom('certificates').select('name').execute()).map(({ name }) => name)
  let hasListened = false
  const running = certificates.run(async () => {
    hasListened = true
  })
  for (let turn = 0; turn < 5; turn++) await yieldEventLoop()
  expect([hasListened, await wanted()]).toEqual([false, []])
  certificates.onListening()
  await eventually(async () => expect(await wanted()).toContain('*.sites.example'))
  expect(hasListened).toBe(true)
  stop.abort()
  await running
})

test('a certificate that was deleted is forgotten by the handshake that looks for it', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  const certificates = await open(db, new AbortController().signal)
  const name = 'www.shop.com'
  await wantCertificates(db, [name], 1)
  const issued = { chain: 'c', sealedKey: 's', validUntil: 9, renewAt: 6 }
  await saveCertificate(db, { name, ...issued, issuedBy: 'ca', renewalInfoAt: null }, 2)
  await certificates.index.read(db)
  expect(certificates.placeOf(name)).toEqual({ name, version: 2 })
  expect(certificates.changes.take()).toBe(true)
  await certificates.index.read(db)
  expect(certificates.changes.take()).toBe(false)
  await db.deleteFrom('certificates').execute()
  expect(await certificates.read(name)).toBeNull()
  expect(certificates.placeOf(name)).toBeNull()
})
