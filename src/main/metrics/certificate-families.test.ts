import { afterAll, beforeAll, expect, test } from 'bun:test'
import { CertificateStates } from '#certificates/certificate-states.ts'
import { FileCertificates } from '#certificates/file-certificates.ts'
import { Metrics } from '#observe/metrics.ts'
import {
  saveCertificate,
  saveCertificateFailure,
  unwantCertificates,
  wantCertificates,
} from '#store/certificates/certificates.ts'
import type { Database } from '#store/database/database.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { certificateFamilies } from './certificate-families.ts'

let database: Database
beforeAll(async () => {
  database = await memoryDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

async function scrape(states: CertificateStates | null): Promise<string[]> {
  const metrics = new Metrics({ log: recordingLog([]) })
  metrics.add(...certificateFamilies(states))
  return (await metrics.text()).split('\n').filter((line) => !/^#|^$/.test(line))
}

test('certificates are counted by state and problem, and nobody’s name is a label', async () => {
  const { db } = database
  const now = 1_000_000
  const names = ['a.com', 'b.com', 'c.com', 'd.com', 'e.com']
  await wantCertificates(db, names, now)
  const issued = { chain: '', sealedKey: '', renewAt: now, issuedBy: '', renewalInfoAt: null }
  await saveCertificate(db, { name: 'a.com', ...issued, validUntil: now + 90_000 }, now)
  await saveCertificate(db, { name: 'b.com', ...issued, validUntil: now + 60_000 }, now)
  await saveCertificate(db, { name: 'c.com', ...issued, validUntil: now - 1 }, now)
  // Nobody renews it.
  await saveCertificate(db, { name: 'd.com', ...issued, validUntil: now + 1_000 }, now)
  await unwantCertificates(db, ['d.com'])
  const refused = { problem: 'caa', detail: 'for e.com', dueAt: now } as const
  await saveCertificateFailure(db, 'e.com', refused)
  await saveCertificateFailure(db, 'b.com', { ...refused, problem: 'away' })

  const files = new FileCertificates([])
  const states = new CertificateStates({ db, files, isOrdering: true, now: () => now })
  const lines = await scrape(states)
  expect(lines).toContain('sitehost_certificates{state="valid"} 3')
  expect(lines).toContain('sitehost_certificates{state="expired"} 1')
  expect(lines).toContain('sitehost_certificates{state="refused"} 1')
  expect(lines).toContain('sitehost_certificates{state="ordered"} 0')
  expect(lines).toContain('sitehost_certificate_problems{problem="caa"} 1')
  expect(lines).toContain('sitehost_certificate_problems{problem="away"} 1')
  expect(lines).toContain('sitehost_certificate_problems{problem="dns"} 0')
  expect(lines).toContain(`sitehost_certificate_expiry_timestamp_seconds ${(now + 60_000) / 1000}`)
  expect(lines.join('\n')).not.toContain('.com')
})

test('where a TLS front keeps certificates, nothing is counted', async () => {
  expect(await scrape(null)).toEqual([])
})
