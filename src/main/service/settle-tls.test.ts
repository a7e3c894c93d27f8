import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readConfig } from '#main/config/config.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { unwantCertificates, wantCertificates } from '#store/certificates/certificates.ts'
import type { Database } from '#store/database/database.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { settleTls } from './settle-tls.ts'

let database: Database
beforeEach(async () => {
  database = await memoryDatabase()
})
afterEach(() => database[Symbol.asyncDispose]())

const settled = (settings: Record<string, string> = {}, lines: LoggedLine[] = []) => {
  const given = {
    BASE_URL: 'https://sitehost.example.com',
    BASE_DOMAIN: 'sites.example.org',
    CONTACT: 'admin@example.com',
    ...settings,
  }
  return settleTls(readConfig(given, {}), { db: database.db, log: recordingLog(lines) })
}
const inUse = () => upsertAccount(database.db, { did: alice }, 1)

test('a new instance ends TLS itself, and does so when it has accounts', async () => {
  expect((await settled()).tls?.ordering).not.toBeNull()
  // As soon as it runs.
  await wantCertificates(database.db, ['sitehost.example.com'], 1)
  await inUse()
  expect((await settled()).tls?.ordering).not.toBeNull()
  await unwantCertificates(database.db, ['sitehost.example.com'])
  expect((await settled()).askListen).toBeNull()
})

test('an instance that has accounts and ordered nothing has a front, which continues to ask it', async () => {
  await inUse()
  const front = { host: '127.0.0.1', port: 3001 }
  expect(await settled()).toMatchObject({ tls: null, askListen: front })
  expect((await settled({ TLS: 'auto' })).tls?.ordering).not.toBeNull()
})

test('the log says where TLS ends, whoever has decided it', async () => {
  const said = async (settings?: Record<string, string>) => {
    const lines: LoggedLine[] = []
    await settled(settings, lines)
    return lines.map(({ message }) => message)
  }
  expect(await said()).toEqual(['TLS ends here'])
  expect(await said({ TLS: 'auto' })).toEqual(['TLS ends here'])
  expect(await said({ TLS: 'off' })).toEqual([])
})
