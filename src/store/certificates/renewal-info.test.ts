import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import { saveCertificate, saveCertificateFailure, wantCertificates } from './certificates.ts'
import { saveRenewalQuestion, saveRenewalTime, takeRenewalQuestions } from './renewal-info.ts'

onEachStore('store/certificates/renewal-info', (db) => {
  const issued = {
    name: 'a.com',
    chain: 'chain',
    sealedKey: 'sealed',
    validUntil: 900,
    renewAt: 600,
    issuedBy: 'https://ca.example',
    renewalInfoAt: 100,
  }
  const take = (now: number) => takeRenewalQuestions(db(), { now, leaseMs: 50, limit: 10 })
  const times = () =>
    db()
      .selectFrom('certificates')
      .select(['renewAt', 'dueAt'])
      .where('name', '=', 'a.com')
      .executeTakeFirstOrThrow()

  test('a question is due once, again after the lease, and when it was said to be; some never', async () => {
    await wantCertificates(db(), ['a.com', 'b.com'], 10)
    await saveCertificate(db(), issued, 20)
    expect(await take(99)).toEqual([])
    const { chain, issuedBy, name } = issued
    expect(await take(100)).toEqual([{ name, chain, issuedBy, changedAt: 20 }])
    expect(await take(149)).toEqual([])
    expect(await take(150)).toHaveLength(1)
    await saveRenewalQuestion(db(), name, 300)
    expect([await take(299), await take(300)]).toMatchObject([[], [{ name }]])
    await saveRenewalQuestion(db(), name, null)
    expect(await take(10_000)).toEqual([])
  })

  test('the time that an authority says counts for the certificate that was asked for, and not while it is ordered', async () => {
    await wantCertificates(db(), ['a.com'], 10)
    await saveCertificate(db(), issued, 20)
    await saveRenewalTime(db(), { name: 'a.com', changedAt: 20 }, 500)
    expect(await times()).toEqual({ renewAt: 500, dueAt: 500 })
    await saveRenewalTime(db(), { name: 'a.com', changedAt: 19 }, 400)
    await saveCertificateFailure(db(), 'a.com', { problem: 'away', detail: null, dueAt: 700 })
    await saveRenewalTime(db(), { name: 'a.com', changedAt: 20 }, 400)
    expect(await times()).toEqual({ renewAt: 500, dueAt: 700 })
  })
})
