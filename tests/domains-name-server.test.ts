import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DidNotFoundError } from '@atcute/identity-resolver'
import { DnsHandleResolver } from '#atproto/identity/dns-handle-resolver.ts'
import type { DnsType } from '#outbound/dns/ask-dns-server.ts'
import { createLookUp, type DnsAnswer } from '#outbound/dns/look-up.ts'
import { ForbiddenHostError } from '#outbound/public-address.ts'
import { createResolveHost } from '#outbound/resolve-host.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { eventually } from './support/eventually.ts'
import { hasPrograms, programPath } from './support/require.ts'

// What other tests ask is made of the same library as the answers are: here they are a real server's.

const values = Array.from({ length: 300 }, (_, n) => `value ${n} of many, and rather long`)
const zone = `
$ORIGIN example.com.
$TTL 60
@ SOA ns hostmaster 1 3600 600 86400 60
@ NS ns
ns A 127.0.0.1
_sitehost TXT "${alice}"
_sitehost.chunks TXT "${alice.slice(0, 9)}" "${alice.slice(9)}"
_sitehost.two TXT "other"
_sitehost.two TXT "${alice}"
_sitehost.alias CNAME _sitehost
_sitehost.circle CNAME _sitehost.circle2
_sitehost.circle2 CNAME _sitehost.circle
_sitehost.long TXT "${'a'.repeat(255)}" "${'b'.repeat(255)}" "${'c'.repeat(255)}"
_atproto.alice TXT "did=" "${alice}"
public A 93.184.216.34
mixed A 93.184.216.34
mixed A 10.0.0.1
mixed-families A 93.184.216.34
mixed-families AAAA ::1
private A 127.0.0.1
alias-of-private CNAME private
www CNAME target
target A 192.0.2.1
target AAAA 2001:db8::1
target CAA 0 issue "ca.example; accounturi=https://ca.example/7"
target CAA 128 issuewild ";"
${values.map((value) => `_sitehost.many TXT "${value}"`).join('\n')}
`

const found = (...expected: string[]): DnsAnswer => ({ answered: true, values: expected })
const facts: [DnsType, string, DnsAnswer][] = [
  ['TXT', '_sitehost.example.com', found(alice)],
  ['TXT', '_sitehost.chunks.example.com', found(alice)],
  ['TXT', '_sitehost.two.example.com', found('other', alice)],
  ['TXT', '_sitehost.alias.example.com', found(alice)],
  ['TXT', '_sitehost.circle.example.com', found()],
  ['TXT', '_sitehost.long.example.com', found('a'.repeat(255) + 'b'.repeat(255) + 'c'.repeat(255))],
  ['TXT', '_sitehost.many.example.com', found(...values)],
  ['TXT', 'target.example.com', found()],
  ['TXT', 'nobody.example.com', found()],
  // NSD answers for its own zone only, and refuses others.
  ['TXT', '_sitehost.example.net', { answered: false, reason: 'failing' }],
  ['CNAME', 'www.example.com', found('target.example.com')],
  ['A', 'www.example.com', found('192.0.2.1')],
  ['AAAA', 'www.example.com', found('2001:db8::1')],
  [
    'CAA',
    'www.example.com',
    found('0 issue "ca.example; accounturi=https://ca.example/7"', '128 issuewild ";"'),
  ],
  ['CAA', 'public.example.com', found()],
]

const isHere = await hasPrograms('look-ups at NSD', 'nsd')

if (isHere) {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-nsd-'))
  const port = Number(await ownPort())
  await writeFile(join(dir, 'zone'), zone)
  await writeFile(join(dir, 'nsd.conf'), configuration(dir, port))
  const server = Bun.spawn([programPath('nsd') ?? '', '-d', '-c', join(dir, 'nsd.conf')], {
    stderr: 'ignore',
  })
  const end = new AbortController()
  const lookUp = createLookUp({ servers: [{ host: '127.0.0.1', port }], signal: end.signal })

  beforeAll(() =>
    eventually(async () => {
      expect((await lookUp('A', 'ns.example.com')).answered).toBe(true)
    }),
  )
  afterAll(async () => {
    end.abort()
    server.kill()
    await server.exited
    await rm(dir, { recursive: true })
  })

  describe('what is looked up at NSD', () => {
    for (const [type, name, answer] of facts) {
      test(`${type} ${name}`, async () => {
        expect(inOrder(await lookUp(type, name))).toEqual(inOrder(answer))
      })
    }
  })

  test('a handle whose DID comes in two chunks', async () => {
    const resolver = new DnsHandleResolver((name, signal) => lookUp('TXT', name, signal))
    expect<string>(await resolver.resolve('alice.example.com')).toBe(alice)
    await expect(resolver.resolve('bob.example.com')).rejects.toBeInstanceOf(DidNotFoundError)
  })

  describe('H28 the way out to names at NSD', () => {
    let connections = 0
    const fetch = createSafeFetch({
      resolve: createResolveHost({ servers: [`127.0.0.1:${port}`] }),
      connect: async () => {
        connections += 1
        return new Response('hello')
      },
    })
    beforeEach(() => {
      connections = 0
    })
    test('a public one is connected to', async () => {
      expect((await fetch('https://public.example.com/')).status).toBe(200)
      expect(connections).toBe(1)
    })
    test.each(['mixed', 'mixed-families', 'private', 'alias-of-private'])(
      '%s is not',
      async (name) => {
        const fetching = fetch(`https://${name}.example.com/`)
        await expect(fetching).rejects.toBeInstanceOf(ForbiddenHostError)
        expect(connections).toBe(0)
      },
    )
  })
}

/** A server gives records in any order. */
const inOrder = (answer: DnsAnswer): DnsAnswer =>
  answer.answered ? { answered: true, values: answer.values.toSorted() } : answer

function configuration(dir: string, port: number): string {
  return `
server:
  ip-address: 127.0.0.1@${port}
  username: ""
  chroot: ""
  zonesdir: "${dir}"
  pidfile: "${dir}/pid"
  xfrdfile: "${dir}/xfrd"
  zonelistfile: "${dir}/list"
  database: ""
  server-count: 1
remote-control:
  control-enable: no
zone:
  name: example.com
  zonefile: zone
`
}
