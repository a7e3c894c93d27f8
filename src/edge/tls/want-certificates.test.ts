import { afterEach, beforeEach, expect, test } from 'bun:test'
import { saveCertificate } from '#store/certificates/certificates.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { WantedCertificates } from './want-certificates.ts'

const custom = 'www.alice-shop.com'
const below = 'blog.sites.example'
const fixed = ['app.example', 'sites.example', 'sites.sites.example']

let database: Database
let served: Set<string>
let inFiles: Set<string>
let certificates: WantedCertificates
let hasWildcard: boolean
const open = (isOrdered: boolean) =>
  new WantedCertificates({
    applicationHost: 'app.example',
    baseDomain: 'sites.example',
    db: database.db,
    wakeUps: new WakeUps(),
    log: recordingLog([]),
    now: () => 5,
    isInFiles: (host) => inFiles.has(host),
    names: {
      hosts: () => [...served].filter((host) => host !== below),
      permits: (name) => served.has(name),
    },
    signal: new AbortController().signal,
    wildcard: { isOrdered, isThere: () => hasWildcard },
  })
beforeEach(async () => {
  database = await memoryDatabase()
  hasWildcard = false
  served = new Set([custom, below])
  inFiles = new Set()
  certificates = open(false)
})
afterEach(() => database[Symbol.asyncDispose]())

async function wanted(): Promise<string[]> {
  await certificates.review()
  const query = database.db.selectFrom('certificates').select('name').where('isWanted', '=', 1)
  return (await query.execute()).map(({ name }) => name).toSorted()
}

test('the service’s own hosts and custom domains, before anybody visits; not names below the base domain', async () => {
  expect(await wanted()).toEqual([...fixed, custom])
})

test('none for hosts that have one in files', async () => {
  inFiles = new Set([custom, ...fixed])
  expect(await wanted()).toEqual([])
})

test('a name that leads nowhere for some time keeps its certificate, and is renewed when it is back', async () => {
  await certificates.want([below])
  expect(await wanted()).toEqual([...fixed, below, custom].toSorted())
  const issued = { chain: 'chain', sealedKey: 'sealed', validUntil: 900, renewAt: 600 }
  for (const name of [custom, below]) {
    const by = { issuedBy: 'https://ca.example', renewalInfoAt: null }
    await saveCertificate(database.db, { name, ...issued, ...by }, 10)
  }
  // Such as an account that is not active.
  served.clear()
  expect(await wanted()).toEqual(fixed)
  served.add(custom).add(below)
  expect(await wanted()).toEqual([...fixed, below, custom].toSorted())
})

test('with a wildcard, names below the base domain need none of their own as soon as it is there', async () => {
  certificates = open(true)
  const own = ['*.sites.example', 'app.example', 'sites.example']
  await certificates.want([below])
  expect(await wanted()).toEqual([...own, below, custom].toSorted())
  hasWildcard = true
  expect(await wanted()).toEqual([...own, custom].toSorted())
})

test('hosts of several pages: each missing one is wanted, each that leads nowhere is not', async () => {
  const hosts = Array.from({ length: 1200 }, (_, n) => `www.shop-${n}.com`)
  served = new Set(hosts)
  expect(await wanted()).toEqual([...fixed, ...hosts].toSorted())
  const rest = hosts.filter((_, n) => n % 2 === 0)
  served = new Set(rest)
  expect(await wanted()).toEqual([...fixed, ...rest].toSorted())
  served = new Set(hosts)
  expect(await wanted()).toEqual([...fixed, ...hosts].toSorted())
})
