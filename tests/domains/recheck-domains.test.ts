import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newDomainId } from '#domains/dns-records.ts'
import { recheckDomains, recheckDueDomains } from '#domains/recheck-domains.ts'
import { type VerifyContext, verifyDomain } from '#domains/verify-domain.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import { readChanges } from '#store/database/changes.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import {
  addCustomDomain,
  type CustomDomain,
  findCustomDomain,
} from '#store/names/custom-domains.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import { recordingLog } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'

const hourMs = 60 * 60 * 1000
const proofName = '_sitehost.example.com'
const firstDay = Date.UTC(2030, 0, 1)

let database: Database
let dns: DnsServer
let now: number
let context: VerifyContext & { readonly signal: AbortSignal }
let logged: Parameters<typeof recordingLog>[0]
let stop: AbortController

beforeEach(async () => {
  database = await memoryDatabase()
  dns = await startDnsServer({ [proofName]: { txt: [alice] } })
  now = firstDay
  logged = []
  stop = new AbortController()
  const server = parseDnsServerAddress(dns.address)
  if (server === null) throw new TypeError(dns.address)
  const { signal } = stop
  context = {
    db: database.db,
    wakeUps: new WakeUps(),
    log: recordingLog(logged),
    signal,
    // The time limit is for silent servers only: slow answers are fine.
    lookUp: (type, name, asking) => {
      const patienceMs = dns.names.get(name) === 'silent' ? 50 : 10_000
      return createLookUp({ servers: [server], signal, patienceMs })(type, name, asking)
    },
    baseDomain: 'sites.example.net',
    now: () => now,
    random: () => 0.5,
  }
})
afterEach(async () => {
  stop.abort()
  await dns[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

async function verified(domain = 'example.com', did = alice): Promise<CustomDomain> {
  const key = { did, id: newDomainId(), domain }
  await addCustomDomain(database.db, key, { pendingMax: 999, domainsMax: 999, now })
  const added = await find(key)
  expect(await verifyDomain(added, context)).toEqual({ verified: true })
  return await find(key)
}

async function find(key: Pick<CustomDomain, 'did' | 'id'>): Promise<CustomDomain> {
  const found = await findCustomDomain(database.db, key)
  if (found === null) throw new Error('no such domain')
  return found
}

/** Runs the checks of so many hours, and returns the domain. */
async function after(hours: number, domain: CustomDomain): Promise<CustomDomain> {
  now += hours * hourMs
  await recheckDueDomains(context)
  return await find(domain)
}

describe('a verified domain', () => {
  test('is checked once a day', async () => {
    const domain = await verified()
    dns.questions.splice(0)
    await after(23.9, domain)
    expect(dns.questions).toEqual([])
    const checked = await after(0.1, domain)
    expect(dns.questions).toContain(`TXT ${proofName}`)
    expect(checked).toMatchObject({ verified: true, checkedAt: now, confirmedAt: now, misses: 0 })
    expect(await recheckDueDomains(context)).toBe(0)
  })

  test('is checked at a random time within an hour of that', async () => {
    const times: number[] = []
    for (const random of [0, 0.25, 0.999_999]) {
      context = { ...context, random: () => random }
      dns.names.set(`_sitehost.${random * 4}.com`, { txt: [alice] })
      times.push((await verified(`${random * 4}.com`)).nextCheckAt - now)
    }
    expect(times.map((ms) => Math.round((ms / hourMs) * 10) / 10)).toEqual([23, 23.5, 25])
  })

  test('is lost after three look-ups without its proof over three days', async () => {
    const domain = await verified()
    dns.names.delete(proofName)
    const days = [await after(24, domain), await after(24, domain), await after(24, domain)]
    expect(days.map(({ verified, misses }) => [verified, misses])).toEqual([
      [true, 1],
      [true, 2],
      [true, 3],
    ])
    expect(days[2]?.ownershipWarning).toBe(
      `The TXT record at ${proofName} has not had the value ${alice} since 2030-01-02 (3 of 3 look-ups): put it back before 2030-01-05, or example.com will no longer be served.`,
    )
    const changes = await readChanges(database.db, 0)
    expect(await after(24, domain)).toMatchObject({
      verified: false,
      misses: 0,
      missingSince: null,
      ownershipWarning: `example.com has not been served since 2030-01-05, because the TXT record at ${proofName} no longer had the value ${alice}: put it back and verify the domain again.`,
    })
    expect(await readChanges(database.db, changes.at(-1)?.seq ?? 0)).toMatchObject([
      { kind: 'host', host: 'example.com' },
    ])
    expect(logged).toContainEqual({
      level: 'warn',
      message: 'custom domain lost',
      fields: { event: 'domain_lost', did: alice, host: 'example.com', reason: 'no-record' },
    })
    expect(await recheckDueDomains(context)).toBe(0)
  })

  test('is not lost by many look-ups in a shorter time', async () => {
    const domain = await verified()
    dns.names.set(proofName, { txt: [bob] })
    now += 1
    for (let n = 0; n < 10; n += 1) await verifyDomain(await find(domain), context)
    now += 72 * hourMs - 1
    await verifyDomain(await find(domain), context)
    expect(await find(domain)).toMatchObject({ verified: true, misses: 11 })
    now += 1
    await verifyDomain(await find(domain), context)
    expect((await find(domain)).verified).toBe(false)
  })

  test('is not lost by two look-ups in a longer time', async () => {
    const domain = await verified()
    dns.names.delete(proofName)
    await after(24, domain)
    expect(await after(24 * 30, domain)).toMatchObject({ verified: true, misses: 2 })
    expect((await after(24, domain)).verified).toBe(false)
  })

  test('has no misses once its proof is back in time', async () => {
    const domain = await verified()
    dns.names.delete(proofName)
    for (let n = 0; n < 3; n += 1) await after(24, domain)
    dns.names.set(proofName, { txt: [alice] })
    expect(await after(24, domain)).toMatchObject({
      verified: true,
      misses: 0,
      missingSince: null,
      ownershipWarning: null,
    })
    dns.names.delete(proofName)
    for (let n = 0; n < 3; n += 1) await after(24, domain)
    expect((await find(domain)).verified).toBe(true)
  })

  for (const state of ['silent', 'failing'] as const) {
    test(`is not lost while the DNS is ${state}, and is checked every hour`, async () => {
      const domain = await verified()
      dns.names.set(proofName, state)
      for (let n = 0; n < 5; n += 1) await after(24, domain)
      expect(await find(domain)).toMatchObject({
        verified: true,
        misses: 0,
        checkedAt: firstDay,
        nextCheckAt: now + hourMs,
      })
      dns.names.set(proofName, { txt: [alice] })
      expect((await after(1, domain)).checkedAt).toBe(now)
    })
  }

  test('has a warning while it leads elsewhere, and stays verified', async () => {
    const domain = await verified()
    expect(domain.pointingWarning).toContain('example.com points nowhere yet')
    dns.names.set('example.com', { a: ['192.0.2.1'] })
    dns.names.set(`${domain.id}.dns.sites.example.net`, { a: ['192.0.2.1'] })
    expect(await after(24, domain)).toMatchObject({ verified: true, pointingWarning: null })
  })
})

test('a hundred domains are taken at a time, none twice', async () => {
  for (let n = 0; n < 101; n += 1) {
    dns.names.set(`_sitehost.${n}.com`, { txt: [alice] })
    await verified(`${n}.com`)
  }
  now += 25 * hourMs
  logged?.splice(0)
  expect([await recheckDueDomains(context), await recheckDueDomains(context)]).toEqual([100, 1])
  const found = (logged ?? []).filter(({ message }) => message === 'custom domain checked')
  expect(found).toHaveLength(101)
  expect(new Set(found.map(({ fields }) => fields['host'])).size).toBe(101)
})

test('checks begin automatically, and end with the signal', async () => {
  const domain = await verified()
  now += 24 * hourMs
  const checking = recheckDomains(context)
  await eventually(async () => expect((await find(domain)).checkedAt).toBe(now))
  stop.abort()
  await checking
})
