import { expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import {
  deleteExpiredChallenges,
  dnsValuesOf,
  keepAcmeKey,
  putChallenge,
  putDnsChallenge,
  readChallengeAnswers,
  takeOrder,
} from './acme.ts'
import {
  countCertificates,
  deleteOldCertificates,
  failuresKeptMs,
  findCertificate,
  findCertificateFacts,
  listCertificateNames,
  listChangedCertificates,
  postponeCertificate,
  retryAfter,
  saveCertificate,
  saveCertificateFailure,
  unwantCertificates,
  wantCertificates,
} from './certificates.ts'
import { takeDueCertificates } from './due-certificates.ts'

onEachStore('store/names/certificates', (db) => {
  const take = (now: number, except: readonly Did[] = []) =>
    takeDueCertificates(db(), { now, leaseMs: 100, limit: 10, except })
  const refused = { problem: 'caa', detail: 'no', dueAt: 20 } as const
  const issued = {
    chain: 'chain',
    sealedKey: 'sealed',
    validUntil: 900,
    renewAt: 600,
    issuedBy: 'https://ca.example',
    renewalInfoAt: null,
  }

  test('a wanted certificate is due once, again after the lease, and when it has to be renewed', async () => {
    await wantCertificates(db(), ['a.com'], 10)
    expect(await take(9)).toEqual([])
    expect(await take(10)).toMatchObject([{ name: 'a.com', failures: 0 }])
    expect(await take(109)).toEqual([])
    expect(await take(110)).toHaveLength(1)
    expect(await findCertificate(db(), 'a.com')).toBeNull()
    await saveCertificate(db(), { name: 'a.com', ...issued }, 120)
    expect(await findCertificate(db(), 'a.com')).toEqual({ chain: 'chain', sealedKey: 'sealed' })
    expect(await take(599)).toEqual([])
    const { chain, issuedBy } = issued
    expect(await take(600)).toEqual([
      { name: 'a.com', failures: 0, dnsFailures: 0, chain, issuedBy, account: null },
    ])
  })

  test('concurrent processes take each name once', async () => {
    await wantCertificates(db(), ['a.com', 'b.com', 'c.com'], 10)
    const taken = await Promise.all([take(10), take(10), take(10)])
    expect(
      taken
        .flat()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['a.com', 'b.com', 'c.com'])
  })

  test('custom domains of some accounts are left out, and found again without that', async () => {
    for (const [domain, did] of [
      ['a.com', alice],
      ['b.com', bob],
    ] as const) {
      const key = { did, id: domain, domain }
      await addCustomDomain(db(), key, { pendingMax: 3, domainsMax: 5, now: 1 })
      await db()
        .updateTable('customDomains')
        .set({ verified: 1 })
        .where('id', '=', domain)
        .execute()
    }
    await wantCertificates(db(), ['a.com', 'b.com', 'app.com'], 10)
    const taken = async (...except: Did[]) =>
      (await take(10, except)).map(({ account, name }) => `${name} ${account}`).toSorted()
    expect(await taken(alice)).toEqual(['app.com null', `b.com ${bob}`])
    expect(await taken(bob)).toEqual([`a.com ${alice}`])
  })

  test('failures count until it is issued; what was put off has not failed', async () => {
    await wantCertificates(db(), ['a.com'], 10)
    await saveCertificateFailure(db(), 'a.com', refused)
    await postponeCertificate(db(), 'a.com', 30)
    expect(await take(29)).toEqual([])
    expect(await take(30)).toMatchObject([{ name: 'a.com', failures: 1 }])
    for (const dnsFailures of [1, 2]) {
      await saveCertificateFailure(db(), 'a.com', { ...refused, isOfDns: true, dueAt: 30 })
      expect(await take(30)).toMatchObject([{ failures: 1, dnsFailures }])
    }
    await saveCertificateFailure(db(), 'a.com', { ...refused, dueAt: 30 })
    expect(await take(30)).toMatchObject([{ failures: 2, dnsFailures: 0 }])
    await saveCertificate(db(), { name: 'a.com', ...issued }, 40)
    expect(await take(600)).toMatchObject([{ name: 'a.com', failures: 0, dnsFailures: 0 }])
  })

  test('those that failed for a reason that is gone are due at once', async () => {
    await wantCertificates(db(), ['a.com', 'b.com', 'c.com'], 10)
    await saveCertificateFailure(db(), 'a.com', { ...refused, problem: 'elsewhere', dueAt: 900 })
    await saveCertificateFailure(db(), 'b.com', { ...refused, dueAt: 900 })
    await unwantCertificates(db(), ['c.com'])
    await retryAfter(db(), ['dns', 'elsewhere'], 20)
    expect(await take(20)).toMatchObject([{ name: 'a.com', failures: 1 }])
  })

  test('what is stored of names, and how many are alike, each with the soonest end', async () => {
    await wantCertificates(db(), ['a.com', 'b.com', 'c.com', 'd.com', 'e.com'], 10)
    await saveCertificateFailure(db(), 'a.com', refused)
    await saveCertificate(db(), { name: 'b.com', ...issued }, 40)
    await saveCertificate(db(), { name: 'c.com', ...issued, validUntil: 800 }, 40)
    await saveCertificate(db(), { name: 'd.com', ...issued, validUntil: 500 }, 40)
    const facts = await findCertificateFacts(db(), ['a.com', 'b.com', 'nobody.com'])
    const own = { isWanted: true, validUntil: null, ...refused }
    const valid = { isWanted: true, validUntil: 900, dueAt: 600, problem: null, detail: null }
    expect(Object.fromEntries(facts)).toEqual({ 'a.com': own, 'b.com': valid })
    const groups = (await countCertificates(db(), 500)).map(
      ({ count, problem, validUntil }) => [count, problem, validUntil] as const,
    )
    const byText = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted()
    const expected = [
      [1, 'caa', null],
      [2, null, 800],
      [1, null, 500],
      [1, null, null],
    ]
    expect(byText(groups)).toEqual(byText(expected))
  })

  test('more names than SQLite reads at a time are counted together, with the soonest end of all', async () => {
    const names = Array.from({ length: 5_002 }, (_, n) => `n${10_000 + n}.com`)
    await wantCertificates(db(), names, 10)
    const ends = [
      ['n10000.com', 700],
      ['n15001.com', 800],
    ] as const
    for (const [name, validUntil] of ends) {
      await saveCertificate(db(), { name, ...issued, validUntil }, 40)
    }
    const groups = (await countCertificates(db(), 500)).map(
      ({ count, dueAt, validUntil }) => [count, dueAt, validUntil] as const,
    )
    expect(groups.toSorted(([a], [b]) => a - b)).toEqual([
      [2, 600, 700],
      [5_000, 10, null],
    ])
  })

  test('one that is not wanted is not due; wanted again it keeps what it has', async () => {
    await wantCertificates(db(), ['a.com', 'b.com'], 10)
    await saveCertificate(db(), { name: 'a.com', ...issued }, 40)
    await unwantCertificates(db(), ['a.com'])
    const names = (isWanted: boolean) =>
      listCertificateNames(db(), { isWanted, after: '', limit: 10 })
    expect([await names(true), await names(false)]).toEqual([['b.com'], ['a.com']])
    expect((await take(1000)).map(({ name }) => name)).toEqual(['b.com'])
    await wantCertificates(db(), ['a.com'], 2000)
    expect(await take(1000)).toMatchObject([{ name: 'a.com', failures: 0 }])
    expect(await findCertificate(db(), 'a.com')).not.toBeNull()
  })

  test('what is not wanted is deleted once it has expired, and a name that has to wait is remembered', async () => {
    const names = ['a.com', 'b.com', 'c.com', 'd.com']
    await wantCertificates(db(), names, 10)
    await saveCertificate(db(), { name: 'a.com', ...issued }, 40)
    await saveCertificate(db(), { name: 'b.com', ...issued }, 40)
    await saveCertificateFailure(db(), 'c.com', { ...refused, dueAt: 950 })
    await unwantCertificates(db(), ['a.com', 'c.com', 'd.com'])
    const left = async (now: number) => {
      await deleteOldCertificates(db(), now)
      return [...(await findCertificateFacts(db(), names)).keys()].toSorted()
    }
    expect(await left(899)).toEqual(['a.com', 'b.com', 'c.com'])
    expect(await left(900)).toEqual(['b.com', 'c.com'])
    // Removed and added again, it would have no failures.
    expect(await left(949 + failuresKeptMs)).toEqual(['b.com', 'c.com'])
    expect(await left(950 + failuresKeptMs)).toEqual(['b.com'])
  })

  test('changes are listed in their order, page by page', async () => {
    await wantCertificates(db(), ['a.com', 'b.com', 'c.com', 'd.com'], 10)
    for (const [name, at] of [
      ['c.com', 50],
      ['a.com', 60],
      ['b.com', 60],
    ] as const) {
      await saveCertificate(db(), { name, ...issued }, at)
    }
    const page = (since: number, after: string) =>
      listChangedCertificates(db(), { since, after, limit: 2 })
    expect(await page(0, '')).toEqual([
      { name: 'c.com', changedAt: 50 },
      { name: 'a.com', changedAt: 60 },
    ])
    expect(await page(60, 'a.com')).toEqual([{ name: 'b.com', changedAt: 60 }])
    expect(await page(61, '')).toEqual([])
  })

  test('the first key of an account counts, whoever made it', async () => {
    expect(await keepAcmeKey(db(), 'https://ca.example', 'first')).toBe('first')
    expect(await keepAcmeKey(db(), 'https://ca.example', 'second')).toBe('first')
  })

  test('orders are a bucket that refills, for all processes', async () => {
    await keepAcmeKey(db(), 'https://ca.example', 'key')
    const takeOne = (now: number) =>
      takeOrder(db(), 'https://ca.example', { count: 3, windowMs: 300 }, now)
    const taken = await Promise.all([1000, 1000, 1000, 1000].map(takeOne))
    expect(taken.toSorted((one, other) => one - other)).toEqual([0, 0, 0, 100])
    expect([await takeOne(1099), await takeOne(1100)]).toEqual([1, 0])
  })

  test('answers to challenges are there until they expire', async () => {
    await putChallenge(db(), { token: 'token', answer: 'old', expiresAt: 50 })
    await putChallenge(db(), { token: 'token', answer: 'new', expiresAt: 60 })
    await deleteExpiredChallenges(db(), 59)
    expect(await readChallengeAnswers(db())).toEqual(new Map([['token', 'new']]))
    await deleteExpiredChallenges(db(), 60)
    expect((await readChallengeAnswers(db())).size).toBe(0)
  })

  test('a name of the DNS has the values of all its challenges', async () => {
    const names = ['_acme-challenge.a.com', '_acme-challenge.a.com.au']
    for (const [at, value] of ['one', 'two', 'three'].entries()) {
      await putDnsChallenge(db(), { name: names[at % 2] ?? '', value, expiresAt: 60 })
    }
    await putChallenge(db(), { token: 'token', answer: 'answer', expiresAt: 60 })
    const answers = await readChallengeAnswers(db())
    const values = names.map((name) => dnsValuesOf(answers, name).toSorted())
    expect(values).toEqual([['one', 'three'], ['two']])
  })
})
