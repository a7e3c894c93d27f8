import { beforeEach, describe, expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import {
  saveCertificate,
  saveCertificateFailure,
  wantCertificates,
} from '#store/certificates/certificates.ts'
import { mapCustomDomain } from '#store/names/change-custom-domain.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { type TestApi, testApi } from '#tests/support/api.ts'
import { alice, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'

const domain = 'www.example.com'
const id = 'a'.repeat(16)

const issuedAt = (now: number) => ({
  ...{ chain: 'chain', sealedKey: 'sealed', validUntil: now + 90, renewAt: now + 60 },
  ...{ issuedBy: 'https://ca.example', renewalInfoAt: null },
})

async function addDomain({ db }: TestApi): Promise<void> {
  await upsertAccount(db, { did: alice }, 0)
  await recordVersion(db, newVersion({ site: siteOf('blog'), label: 's--blog' }), 0)
  await addCustomDomain(db, { did: alice, id, domain }, { pendingMax: 3, domainsMax: 3, now: 0 })
  await mapCustomDomain(db, { did: alice, id }, nameOf('blog'), 0)
}

async function rowsOf(api: TestApi): Promise<Record<string, unknown>[]> {
  const headers = { cookie: await api.signedIn(alice) }
  const ask = async (path: string) => await (await api.request(path, { headers })).json()
  const { customDomains } = (await ask('/api/user/domains')) as Record<string, never[]>
  const { domains } = (await ask('/api/user/site/blog/domains')) as Record<string, never[]>
  const { sites } = (await ask('/api/user/sites')) as { sites: { domains: never[] }[] }
  const admin = { cookie: await api.adminSignedIn() }
  const listed = await (await api.request('/api/admin/domains', { headers: admin })).json()
  return [
    ...(customDomains ?? []),
    ...(domains ?? []),
    ...(sites[0]?.domains ?? []),
    ...(listed as { domains: Record<string, unknown>[] }).domains,
  ]
}

describe('where the service orders certificates, each row of a domain says, to owners and administrators', () => {
  const api = testApi({ ordersCertificates: true })
  beforeEach(() => addDomain(api()))
  const expectAll = async (certificate: unknown) => {
    const rows = await rowsOf(api())
    expect(rows.map((row) => row['certificate'])).toEqual(Array(4).fill(certificate))
  }

  test('that none is ordered, then that it is, then why it was refused', async () => {
    const { db, now } = api()
    await expectAll(null)
    await wantCertificates(db, [domain], now)
    const nothing = { validUntil: null, nextTryAt: null, problem: null }
    await expectAll({ ...nothing, state: 'ordered' })
    const refusal = { problem: 'caa', detail: 'caa: not us', dueAt: now + 60_000 } as const
    await saveCertificateFailure(db, domain, refusal)
    await expectAll({
      ...nothing,
      state: 'refused',
      nextTryAt: new Date(now + 60_000).toISOString(),
      problem: {
        kind: 'caa',
        detail: 'caa: not us',
        advice: expect.stringContaining(`A CAA record forbids certificates for ${domain}: `),
      },
    })
  })

  test('until when it is valid, and when it is renewed', async () => {
    const { db, now } = api()
    await wantCertificates(db, [domain], now)
    const issued = issuedAt(now)
    await saveCertificate(db, { name: domain, ...issued }, now)
    await expectAll({
      state: 'valid',
      validUntil: new Date(now + 90).toISOString(),
      nextTryAt: new Date(now + 60).toISOString(),
      problem: null,
    })
  })
})

describe('GET /api/admin/overview', () => {
  const overviewOf = async (api: TestApi) => {
    const headers = { cookie: await api.adminSignedIn() }
    return await (await api.request('/api/admin/overview', { headers })).json()
  }
  const api = testApi({ ordersCertificates: true })
  test('all certificates: in which states, why not, and which expires first', async () => {
    const { db, now } = api()
    await wantCertificates(db, ['a.com', 'b.com', 'c.com', 'd.com'], now)
    const issued = issuedAt(now)
    await saveCertificate(db, { name: 'a.com', ...issued }, now)
    const failed = { detail: null, dueAt: now } as const
    await saveCertificateFailure(db, 'b.com', { ...failed, problem: 'elsewhere' })
    for (const name of ['c.com', 'd.com']) {
      await saveCertificateFailure(db, name, { ...failed, problem: 'caa' })
    }
    expect(await overviewOf(api())).toMatchObject({
      certificates: {
        states: { 'waiting-for-dns': 1, ordered: 0, refused: 2, valid: 1, expired: 0 },
        problems: [
          { kind: 'caa', count: 2 },
          { kind: 'elsewhere', count: 1 },
        ],
        soonestExpiryAt: new Date(now + 90).toISOString(),
      },
    })
  })
})

describe('behind a TLS front', () => {
  const api = testApi()
  test('no row speaks of certificates', async () => {
    await addDomain(api())
    await wantCertificates(api().db, [domain], 0)
    const rows = await rowsOf(api())
    expect(rows).toHaveLength(4)
    expect(rows.filter((row) => 'certificate' in row)).toEqual([])
  })
})
