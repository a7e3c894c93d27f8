import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { DnsName } from '#tests/support/servers/dns-server.ts'
import type { CustomDomain } from '#web/server/api.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import type { Shown } from './scene.ts'
import { at, type State, see } from './state.ts'

/** What the service tells the owner of a domain to set. */
interface Target {
  readonly id: string
  readonly dns: {
    readonly txt: { readonly name: string; readonly value: string }
    readonly cname: { readonly name: string; readonly target: string }
  }
}

/** A domain of bob's at one of his sites, looked up once while the DNS has this of it. */
async function withDomain(
  { clients: { bob }, dns }: Shown,
  { site, domain, records }: OwnDomain,
): Promise<Target> {
  await post(bob, '/api/domain/custom/add', { domain })
  const { customDomains } = (await (await bob.fetch('/api/user/domains')).json()) as {
    customDomains: (Target & { domain: string })[]
  }
  const target = customDomains.find((each) => each.domain === domain)
  if (target === undefined) throw new Error(`${domain} was not added`)
  const { txt, cname } = target.dns
  if (records.txt) dns.names.set(txt.name, { txt: [txt.value] })
  if (records.at !== undefined) dns.names.set(cname.name, records.at)
  else if (records.cname) dns.names.set(cname.name, { cname: cname.target })
  await post(bob, `/api/domain/custom/${target.id}/map-site`, { siteRkey: site })
  await post(bob, '/api/domain/custom/verify', { id: target.id })
  return target
}

interface OwnDomain {
  readonly site: string
  readonly domain: string
  readonly records: {
    readonly txt?: boolean
    readonly cname?: boolean
    /** Elsewhere than here. */
    readonly at?: DnsName
  }
}

async function post(client: AppClient, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await client.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

const shows = (own: OwnDomain, text: string | RegExp) => async (shown: Shown) => {
  await withDomain(shown, own)
  await at(`/sites/${own.site}/domains`, ({ page }) => see(page, text))(shown)
}

type Certificate = NonNullable<CustomDomain['certificate']>

const noCertificate = { validUntil: null, nextTryAt: null, problem: null } as const

/** As if TLS ended in the service, which needs a public address: adds certificates to what it answers. */
const withCertificates = (page: Page, certificates: Readonly<Record<string, Certificate>>) =>
  page.route('**/api/user/domains', async (route) => {
    const response = await route.fetch()
    const { customDomains, ...rest } = (await response.json()) as { customDomains: CustomDomain[] }
    const rows = customDomains.map((row) => ({ ...row, certificate: certificates[row.domain] }))
    await route.fulfill({ response, json: { ...rest, customDomains: rows } })
  })

/** The record has been gone for three days, and has been looked for. */
async function lose(shown: Shown, own: OwnDomain): Promise<void> {
  const { id, dns } = await withDomain(shown, own)
  shown.dns.names.delete(dns.txt.name)
  const database = new Database(join(shown.world.dataDir, 'sitehost.db'))
  const days = 4 * 24 * 60 * 60_000
  database.run('UPDATE custom_domains SET misses = 2, missing_since = ? WHERE id = ?', [
    Date.now() - days,
    id,
  ])
  database.close()
  await post(shown.clients.bob, '/api/domain/custom/verify', { id })
}

const lost: OwnDomain = {
  site: 'site-5',
  domain: 'www.travels.com',
  records: { txt: true, cname: true },
}

export const domains: readonly State[] = [
  {
    name: 'domains/none',
    by: 'bob',
    show: at('/sites/site-6/domains', ({ page }) => see(page, 'Permanent')),
  },
  {
    name: 'domains/waiting',
    by: 'bob',
    show: shows({ site: 'site-1', domain: 'www.recipes.com', records: {} }, 'Not found yet'),
  },
  {
    name: 'domains/one-tick',
    by: 'bob',
    show: shows(
      { site: 'site-2', domain: 'www.alice-garden.com', records: { txt: true } },
      'points nowhere yet',
    ),
  },
  {
    name: 'domains/verified',
    by: 'bob',
    show: async (shown) => {
      const { bob } = shown.clients
      const claimed = await bob.fetch('/api/domain/registered?domain=poems.localhost')
      if (!claimed.ok) {
        await post(bob, '/api/domain/claim', { handle: 'poems' })
        const domain = 'poems.localhost'
        await post(bob, '/api/domain/sitehost/map-site', { domain, siteRkey: 'site-3' })
      }
      const domain = 'www.poems.com'
      const own = { site: 'site-3', domain, records: { txt: true, cname: true } }
      await shows(own, 'Make primary')(shown)
    },
  },
  {
    name: 'domains/warned',
    by: 'bob',
    show: shows(
      { site: 'site-4', domain: 'travels.net', records: { txt: true, at: { a: ['192.0.2.7'] } } },
      'points to',
    ),
  },
  {
    name: 'domains/certificates',
    by: 'bob',
    show: async (shown) => {
      const own = (domain: string): OwnDomain => ({
        ...{ site: 'site-7', domain, records: { txt: true, cname: true } },
      })
      const domains = ['www.forest.com', 'www.meadow.com', 'www.river.com', 'www.lake.com']
      for (const domain of domains) await withDomain(shown, own(domain))
      await withCertificates(shown.page, {
        'www.forest.com': { ...noCertificate, state: 'valid', validUntil: '2031-03-01T12:00:00Z' },
        'www.meadow.com': { ...noCertificate, state: 'ordered' },
        'www.river.com': {
          ...noCertificate,
          state: 'refused',
          nextTryAt: '2031-01-01T12:00:00Z',
          problem: {
            kind: 'caa',
            detail: 'caa: CAA record for www.river.com prevents issuance',
            advice: '',
          },
        },
        'www.lake.com': {
          ...noCertificate,
          state: 'expired',
          validUntil: '2030-01-01T12:00:00Z',
          problem: { kind: 'connection', detail: null, advice: '' },
        },
      })
      await at('/sites/site-7/domains', ({ page }) => see(page, 'Certificate until'))(shown)
    },
  },
  {
    name: 'domains/lost',
    by: 'bob',
    show: async (shown) => {
      await lose(shown, lost)
      await at(`/sites/${lost.site}/domains`, ({ page }) => see(page, 'no longer'))(shown)
    },
  },
]
