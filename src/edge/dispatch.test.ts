import { describe, expect, test } from 'bun:test'
import { parseTrustedProxies } from '#http/client-address.ts'
import { recordingLog } from '#tests/support/api.ts'
import { visitedSite } from '#tests/support/visitors/edge.ts'
import { createDispatch } from './dispatch.ts'
import type { HostTarget } from './names/hosts.ts'
import { DirectRequest } from './tls/direct-request.ts'

const label = `s--${'a'.repeat(26)}`
const takenDown = new Map<string, 451 | 404>([
  [`s--${'c'.repeat(26)}`, 451],
  [`s--${'d'.repeat(26)}`, 404],
])
const proofs = ['.well-known/acme-challenge/t', '.well-known/pki-validation/t.txt']
const site = visitedSite({
  'index.html': { body: 'a page' },
  '.well-known/security.txt': { body: 'a contact' },
  ...Object.fromEntries(proofs.map((path) => [path, { body: 'a proof' }])),
})

const observed: string[] = []
const application = { answer: (): Response | Promise<Response> => new Response('the application') }
const hosts = new Map<string, HostTarget>([
  ['own.test', { label, movedTo: null }],
  ['blog.sites.test', { label, movedTo: null }],
  ['old.sites.test', { label, movedTo: 'https://own.test' }],
  ['offline.test', { label: `s--${'c'.repeat(26)}`, movedTo: 'https://elsewhere.test' }],
])

const options: Parameters<typeof createDispatch>[0] = {
  application: () => application.answer(),
  origin: 'https://app.test',
  applicationHost: 'app.test',
  baseDomain: 'sites.test',
  front: {
    countryHeader: null,
    redirectsToHttps: true,
    trustedProxies: parseTrustedProxies('10.0.0.1') ?? [],
  },
  visits: {
    ...site.context,
    awaited: { has: async () => false },
    gone: { get: async () => null },
    previews: { get: async () => null },
    takedowns: { get: async (asked) => takenDown.get(asked) ?? null },
    hosts: { get: async (host) => hosts.get(host) ?? null },
    log: recordingLog(),
    now: () => 0,
    snapshots: { get: (asked) => (asked === label ? site.known : Promise.resolve(null)) },
  },
  addresses: {
    addresses: { get: async () => null },
    db: null as never,
    pages: site.context.pages,
    siteUrl: () => 'unused',
    discover: undefined,
  },
  metrics: { observe: (role, status) => observed.push(`${role} ${status}`) },
  elsewhere: null,
}
const answer = createDispatch(options)

const connections = new WeakMap<Request, string>()
const server = {
  requestIP: (request: Request) => ({ address: connections.get(request) }),
} as unknown as Bun.Server<undefined>

/** In one line: the status, and where it leads or what it says. */
async function visit(at: string, headers: Record<string, string> = {}, from = '192.0.2.1') {
  const host = at.replace(/\/.*/, '')
  const request = new Request(`http://${host === at ? `${at}/` : at}`, {
    headers: { host, ...headers },
  })
  connections.set(request, from)
  const response = await answer(request, server)
  const body = await response.text()
  const said = /<h1>([^<]*)/.exec(body)?.[1] ?? body
  return `${response.status} ${response.headers.get('location') ?? said}`
}

test.each([
  ['app.test', '200 the application'],
  ['APP.TEST:8080', '200 the application'],
  [`${label}.sites.test`, '200 a page'],
  ['own.test', '200 a page'],
  ['nobody.test', '404 No site here'],
  [`s--${'b'.repeat(26)}.sites.test`, '404 Not found'],
  [`s--${'c'.repeat(26)}.sites.test`, '451 Not available'],
  [`s--${'d'.repeat(26)}.sites.test`, '404 Not found'],
  ['offline.test', '451 Not available'],
  ['sites.test', '302 https://app.test'],
  ['sites.sites.test', '404 No site here'],
])('a visitor of %s gets %s', async (host, expected) => {
  expect(await visit(host)).toStartWith(expected)
})

describe('a proof of control over a host, as certificate authorities look for it', () => {
  const below = [`${label}.sites.test`, 'blog.sites.test', 'old.sites.test', 'new--blog.sites.test']
  test.each(below.flatMap((host) => proofs.map((path) => `${host}/${path}`)))(
    '%s is not what a site has, and leads nowhere',
    async (at) => expect(await visit(at)).toBe('404 Not found'),
  )

  test('on a custom domain it is its owner’s, and below the base domain other files are served', async () => {
    for (const path of proofs) expect(await visit(`own.test/${path}`)).toBe('200 a proof')
    expect(await visit('blog.sites.test/.well-known/security.txt')).toBe('200 a contact')
    expect(await visit('blog.sites.test/?/.well-known/acme-challenge/t')).toBe('200 a page')
  })
})

test('a front says which host was asked for, and by which scheme; others are not believed', async () => {
  const asked = { 'x-forwarded-host': 'own.test', 'x-forwarded-proto': 'https' }
  expect(await visit('app.test', asked, '10.0.0.1')).toBe('200 a page')
  expect(await visit('app.test', asked)).toBe('200 the application')
  const byHttp = { ...asked, 'x-forwarded-proto': 'http' }
  expect(await visit('app.test', byHttp, '10.0.0.1')).toBe('308 https://own.test/')
  expect(await visit('app.test', byHttp)).toBe('200 the application')
})

test('every answer is counted once, with its role and status', async () => {
  observed.length = 0
  const hosts = ['app.test', 'own.test', 'nobody.test', 'sites.test', 'sites.sites.test']
  for (const host of hosts) await visit(host)
  expect(observed).toEqual(['app 200', 'edge 200', 'edge 404', 'edge 302', 'edge 404'])
})

test('an answer without a promise stays one, a promise stays the same, and a rejection counts', async () => {
  observed.length = 0
  const ask = (host: string) => answer(new Request('http://x/', { headers: { host } }), server)
  expect(ask('sites.test')).toBeInstanceOf(Response)
  const failing = Promise.reject(new Error('broken'))
  application.answer = () => failing
  expect(ask('app.test')).toBe(failing)
  await expect(failing).rejects.toThrow('broken')
  expect(observed).toEqual(['edge 302', 'app 500'])
})

test('a process without the application answers for its own health at the application’s host, and nothing else', async () => {
  application.answer = () => new Response('ok')
  const hosting = createDispatch({ ...options, elsewhere: 'application' })
  const statusOf = async (path: string, host: string) =>
    (await hosting(new Request(`http://${host}${path}`, { headers: { host } }), server)).status
  expect(await statusOf('/healthz', 'app.test')).toBe(200)
  expect(await statusOf('/readyz?verbose', 'app.test')).toBe(200)
  for (const path of ['/', '/healthz/', '/api/auth/status']) {
    expect(await statusOf(path, 'app.test')).toBe(421)
  }
  expect(await statusOf('/healthz', 'own.test')).toBe(404)
})

test('a file in memory is reported to a request that may be answered on its connection', async () => {
  const host = `${label}.sites.test`
  const server = { requestIP: () => ({ address: '192.0.2.1' }), timeout: () => undefined }
  const visitor = { address: '192.0.2.1', serverName: host }
  const ask = () => {
    const request = new DirectRequest(`http://${host}/`, [['host', host]], visitor)
    return { request, response: answer(request, server) }
  }
  await ask().response
  const { request, response } = ask()
  // Another one, such as a copy, would go through the pipe.
  expect(request.inMemory?.response).toBe(response as Response)
  expect(await request.inMemory?.body?.text()).toBe('a page')
})
