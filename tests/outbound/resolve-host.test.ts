import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createResolveHost } from '#outbound/resolve-host.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import { eventually } from '../support/eventually.ts'

let dns: DnsServer
beforeEach(async () => {
  dns = await startDnsServer({
    'one.example': { a: ['93.184.216.34'] },
    'two.example': { a: ['93.184.216.34', '10.0.0.1'] },
    'empty.example': {},
    'failing.example': 'failing',
    'silent.example': 'silent',
    'mute.example': 'silent',
  })
})
afterEach(() => dns[Symbol.asyncDispose]())

const resolve = (name: string, signal = new AbortController().signal) =>
  createResolveHost({ servers: [dns.address], repeatMs: 300 })(name, signal)

test('every address of a name', async () => {
  expect(await resolve('one.example')).toEqual(['93.184.216.34'])
  expect([...(await resolve('two.example'))].sort()).toEqual(['10.0.0.1', '93.184.216.34'])
})

test('both families are asked for', async () => {
  await resolve('one.example')
  expect([...dns.questions].sort()).toEqual(['A one.example', 'AAAA one.example'])
})

const failures: [string, string][] = [
  ['unknown.example', 'ENOTFOUND'],
  ['empty.example', 'ENOTFOUND'],
  ['failing.example', 'ESERVFAIL'],
]
test.each(failures)('%s: %s', async (name, code) => {
  await expect(resolve(name)).rejects.toMatchObject({ code })
})

test('names of this machine are asked of the name servers like all others', async () => {
  await expect(resolve('silent.localhost.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(dns.questions).toContain('A silent.localhost.example')
})

test('a look-up ends with its signal, and asks no more', async () => {
  const asked = (name: string) =>
    dns.questions.filter((question) => question === `A ${name}`).length
  const [stop, end] = [new AbortController(), new AbortController()]
  const looking = resolve('silent.example', stop.signal)
  const other = resolve('mute.example', end.signal)
  await eventually(async () => expect(asked('silent.example')).toBe(1))
  stop.abort(new Error('stopped'))
  await expect(looking).rejects.toThrow('stopped')
  await eventually(async () => expect(asked('mute.example')).toBe(2))
  expect(asked('silent.example')).toBe(1)
  end.abort(new Error('stopped too'))
  await expect(other).rejects.toThrow('stopped too')
})

test('an aborted signal sends no query', async () => {
  await expect(resolve('one.example', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(dns.questions).toEqual([])
})
