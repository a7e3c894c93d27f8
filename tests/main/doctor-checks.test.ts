import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, createServer, type SecureContext, type Server } from 'node:tls'
import { findingLines, ok, problem } from '#cli/diagnosis/finding.ts'
import { readConfig } from '#main/config/config.ts'
import type { ListenAddress } from '#main/config/setting-kinds.ts'
import { checkAuthorities } from '#main/doctor/check-authorities.ts'
import { checkBucket } from '#main/doctor/check-bucket.ts'
import { checkClock } from '#main/doctor/check-clock.ts'
import { checkDisk } from '#main/doctor/check-disk.ts'
import { checkDns } from '#main/doctor/check-dns.ts'
import { checkOpenFiles } from '#main/doctor/check-open-files.ts'
import { checkOwnTls } from '#main/doctor/check-own-tls.ts'
import { checkFront, checkPort } from '#main/doctor/check-ports.ts'
import { checkSettings } from '#main/doctor/check-settings.ts'
import { checkTls } from '#main/doctor/check-tls.ts'
import { checkTlsPermission } from '#main/doctor/check-tls-permission.ts'
import { reportDns } from '#main/doctor/report-dns.ts'
import { announceAddress } from '#main/process/service-address.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'
import { createLookUp, type LookUp } from '#outbound/dns/look-up.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { type DnsName, startDnsServer } from '#tests/support/servers/dns-server.ts'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { type S3Fault, startS3FaultServer } from '#tests/support/servers/s3-fault-server.ts'
import { s3LocationAt } from '#tests/support/servers/s3-store.ts'
import { publicNames } from '#tests/support/servers/self-signed.ts'

const gibibyte = 1024 ** 3

describe('the bucket of the blobs', () => {
  const read = async (fault: S3Fault | null): Promise<string[]> => {
    await using server = await startS3FaultServer()
    server.always = fault
    const findings = await checkBucket(s3LocationAt(server.endpoint))
    expect(server.objects.size).toBe(0)
    return findings.map(({ advice, level, seen }) => `${level}: ${seen} ${advice}`)
  }

  test('stores, returns and deletes', async () => {
    expect(await read(null)).toEqual([
      expect.stringMatching(/^ok: .* stores, returns and deletes null$/),
    ])
  })

  test.each([
    ['another clock', 'RequestTimeTooSkewed', 403, 'set the clock'],
    ['no bucket', 'NoSuchBucket', 404, 'create the bucket'],
    ['another region', 'AuthorizationHeaderMalformed', 400, 'in another region'],
    ['a wrong key', 'SignatureDoesNotMatch', 403, 'AWS_SECRET_ACCESS_KEY'],
  ])('with %s', async (_, code, status, advice) => {
    const [finding] = await read({ kind: 'status', status, code })
    expect(finding).toStartWith('problem')
    expect(finding).toContain(advice)
    expect(finding).not.toContain('test-secret')
  })
})

describe('DNS', () => {
  const here = { a: ['192.0.2.1'] }
  const hosts = { answersDns: false, application: 'app.example', baseDomain: 'sites.example' }

  async function check(names: Record<string, DnsName>): Promise<string[]> {
    await using server = await startDnsServer(names)
    const address = parseDnsServerAddress(server.address)
    if (address === null) throw new TypeError(server.address)
    const ask = createLookUp({
      servers: [address],
      patienceMs: 100,
      signal: new AbortController().signal,
    })
    // The labels that it makes up are those of a wildcard.
    const findings = await checkDns(hosts, (type, name) =>
      ask(type, name.replace(/^doctor-\w+\./, 'any.')),
    )
    return findings.map(({ advice, level, seen }) => {
      return `${level}: ${seen}${level === 'problem' ? ` → ${advice}` : ''}`
    })
  }

  test('all names at one address', async () => {
    const all = { 'app.example': here, 'sites.example': here, 'any.sites.example': here }
    expect(await check({ ...all, 'any.dns.sites.example': here })).toEqual([
      'ok: app.example is at 192.0.2.1',
      'ok: sites.example is at 192.0.2.1',
      'ok: *.sites.example is at 192.0.2.1',
      'ok: *.dns.sites.example is at 192.0.2.1',
    ])
  })

  test('a missing wildcard, a name elsewhere, a server that fails', async () => {
    expect(
      await check({
        'app.example': here,
        'sites.example': { a: ['192.0.2.9'] },
        'any.dns.sites.example': 'failing',
      }),
    ).toEqual([
      'ok: app.example is at 192.0.2.1',
      'warning: sites.example is at 192.0.2.9',
      'problem: *.sites.example has no address → add for *.sites.example: A 192.0.2.1',
      'warning: no name server could say where *.dns.sites.example is',
    ])
    expect((await check({ 'sites.example': here }))[0]).toBe(
      'problem: app.example has no address → add A records for app.example, and AAAA records if it has IPv6, with the addresses of this service',
    )
  })

  test('a service that ends TLS itself logs what is missing, and nothing else', async () => {
    const logged: LoggedLine[] = []
    const lookUp: LookUp = async (type, name) => ({
      answered: true,
      values: type === 'A' && !name.includes('.dns.') ? ['192.0.2.1'] : [],
    })
    await reportDns({
      answersDns: true,
      applicationHost: 'app.example',
      baseDomain: 'sites.example',
      log: recordingLog(logged),
      lookUp,
    })
    expect(logged).toMatchObject([
      {
        level: 'warn',
        message: 'DNS record missing',
        fields: {
          seen: '*.dns.sites.example has no address',
          advice: 'add for *.dns.sites.example: A 192.0.2.1',
        },
      },
      {
        fields: {
          seen: '_acme-challenge.sites.example does not lead to app.example',
          advice:
            'add for _acme-challenge.sites.example: NS app.example; port 53 of it has to be reachable by UDP and TCP',
        },
      },
    ])
  })
})

test('settings other than those of the service that runs are a warning', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'doctor-settings-'))
  const origin = 'http://127.0.0.1:3000'
  const check = () => checkSettings({ dataDir, origin, baseDomain: 'sites.localhost' })
  expect(await check()).toMatchObject({ level: 'ok', seen: expect.stringContaining(origin) })
  const running = { host: '127.0.0.1', askListen: null, parts: ['app' as const] }
  {
    await using _ = await announceAddress(dataDir, { ...running, origin, port: 3000 })
    expect(await check()).toMatchObject({ level: 'ok' })
  }
  const other = 'http://127.0.0.1:4310'
  await using _ = await announceAddress(dataDir, { ...running, origin: other, port: 4310 })
  expect(await check()).toMatchObject({
    level: 'warning',
    seen: `the service on this data folder is at ${other}, but these settings say ${origin}`,
  })
  await rm(dataDir, { recursive: true })
})

describe('ports', () => {
  const name = 'the service'
  const processAt = (port: number) => {
    const address = { host: '127.0.0.1', origin: 'http://127.0.0.1', port }
    return { name, address, isAnnounced: true, isOfSettings: true } as const
  }

  async function beside(status: number) {
    await using server = serve(() => new Response(null, { status }))
    return await checkPort(processAt(server.port ?? 0))
  }

  test('of the service: it answers, it is not ready, somebody else does, nobody does', async () => {
    expect(await beside(200)).toMatchObject({ level: 'ok' })
    expect(await beside(503)).toMatchObject({
      level: 'problem',
      seen: expect.stringMatching(/not ready/),
    })
    expect(await beside(404)).toMatchObject({
      level: 'problem',
      seen: expect.stringContaining('is in use'),
    })
    const port = Number(await ownPort())
    expect(await checkPort(processAt(port))).toMatchObject({
      level: 'ok',
      seen: `port ${port} is free: the service does not run`,
    })
    expect(await checkPort({ ...processAt(port), isAnnounced: false })).toMatchObject({
      level: 'ok',
      seen: `port ${port} of these settings is free, and the service does not run on this data folder`,
    })
  })

  test('of the front', async () => {
    await using server = serve(() => new Response())
    const free = Number(await ownPort())
    const levels = (await checkFront([server.port ?? 0, free])).map(({ level }) => level)
    expect(levels).toEqual(['ok', 'warning'])
  })
})

describe('a certificate authority', () => {
  const { certificate: cert, key } = {
    certificate: loopbackCertificate,
    key: loopbackCertificateKey,
  }
  const directory = (origin: string) => ({
    newNonce: `${origin}/nonce`,
    newAccount: `${origin}/account`,
    newOrder: `${origin}/order`,
  })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert, key },
    fetch: ({ url }) =>
      Response.json(url.endsWith('/dir') ? directory(new URL(url).origin) : { is: 'another' }),
  })
  const at = `https://127.0.0.1:${server.port}`
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-doctor-authority-'))
    await Bun.write(join(dir, 'ca.pem'), cert)
  })
  afterAll(async () => {
    await server.stop(true)
    await rm(dir, { recursive: true })
  })

  test.each([
    ['answers', '/dir', 'ca.pem', 'ok', /answers$/],
    ['is not trusted', '/dir', null, 'problem', /cannot be used \(.*certificate.*\)$/],
    ['has no directory there', '/other', 'ca.pem', 'problem', /\(it is no ACME directory\)$/],
    ['has roots that are missing', '/dir', 'none.pem', 'problem', /none\.pem cannot be read/],
  ])('that %s', async (_, path, roots, level, seen) => {
    const caFile = roots === null ? null : join(dir, roots)
    const findings = await checkAuthorities({ authorities: [{ directory: at + path }], caFile })
    expect(findings).toEqual([
      expect.objectContaining({ level, seen: expect.stringMatching(seen) }),
    ])
  })

  test('that does not answer', async () => {
    const authorities = [{ directory: `https://127.0.0.1:${await ownPort()}/dir` }]
    expect(await checkAuthorities({ authorities, caFile: null })).toMatchObject([
      { level: 'problem', advice: expect.stringContaining('ACME_CA') },
    ])
  })
})

test('files of certificates that cannot be used are a problem', async () => {
  const files = [{ chainFile: '/nowhere/chain.pem', keyFile: '/nowhere/key.pem' }]
  const config = readConfig({
    BASE_URL: 'https://app.example.com',
    BASE_DOMAIN: 'sites.example.com',
    SECRET_KEY: 'x'.repeat(32),
    TLS: 'files',
    TLS_FILES: files.map(({ chainFile, keyFile }) => `${chainFile}:${keyFile}`).join(','),
    TLS_LISTEN: `127.0.0.1:${await ownPort()}`,
  })
  expect(await checkTls(config)).toContainEqual(
    expect.objectContaining({
      level: 'problem',
      seen: '/nowhere/chain.pem cannot be read (ENOENT)',
    }),
  )
})

describe('TLS in the process', () => {
  const application = 'sitehost.home.arpa'
  const check = async (port: number, httpListen: ListenAddress | null = null) => {
    const findings = await checkOwnTls(
      { listen: { host: '::', port }, httpListen, isOrdering: true },
      application,
    )
    return findings.map(({ level, seen }) => `${level}: ${seen}`)
  }
  const inFiles = (port: number) =>
    checkOwnTls({ listen: { host: '::', port }, httpListen: null, isOrdering: false }, application)

  test('shows a certificate for the application, shows none, or does not listen', async () => {
    const { certificate: cert, key } = publicNames
    const listening = (context: SecureContext | null) =>
      createServer({
        cert,
        key,
        SNICallback: (_, done) => (context ? done(null, context) : done(new Error('none'))),
      })
    const portOf = (server: Server) => (server.address() as AddressInfo).port
    const good = listening(createSecureContext({ cert, key })).listen(0, '127.0.0.1')
    const none = listening(null).listen(0, '127.0.0.1')
    const free = Number(await ownPort())
    try {
      expect(await check(portOf(good), { host: '127.0.0.1', port: portOf(none) })).toEqual([
        `ok: port ${portOf(none)} accepts connections`,
        `ok: port ${portOf(good)} shows a certificate for ${application} until 2126-10-28`,
      ])
      expect(await check(portOf(none))).toEqual([
        `problem: port ${portOf(none)} shows no certificate for ${application}`,
      ])
      // Nothing is ordered: neither the DNS nor port 80 matters.
      expect(await inFiles(portOf(none))).toMatchObject([
        { level: 'problem', advice: `TLS_FILES has no certificate for ${application}` },
      ])
      expect(await check(free, { host: '0.0.0.0', port: free })).toEqual([
        `warning: nothing accepts connections at port ${free}`,
        `warning: nothing accepts connections at port ${free}`,
      ])
    } finally {
      good.close()
      none.close()
    }
  })

  test('has no front to speak of', async () => {
    const port = await ownPort()
    const findings = await checkTls(
      readConfig(
        {
          BASE_URL: `https://${application}`,
          BASE_DOMAIN: 'sites.home.arpa',
          TLS: 'auto',
          ACME_DIRECTORY: `https://127.0.0.1:${port}/dir`,
          TLS_LISTEN: `127.0.0.1:${port}`,
          HTTP_LISTEN: `127.0.0.1:${port}`,
        },
        {},
      ),
    )
    expect(findings.map(({ about }) => about)).toEqual(['TLS', 'TLS', 'certificates'])
    expect(JSON.stringify(findings)).not.toMatch(/caddy|front/)
  })
})

describe('certificates', () => {
  async function check(answers: (domain: string | null) => number) {
    await using server = serve(({ url }) => {
      return new Response(null, { status: answers(new URL(url).searchParams.get('domain')) })
    })
    const askListen = { host: '127.0.0.1', port: server.port ?? 0 }
    return (await checkTlsPermission({ ...settings, askListen })).level
  }
  const settings = { baseDomain: 'sites.example', origin: 'https://app.example' }

  test('the own name only', async () => {
    expect(await check((domain) => (domain === 'app.example' ? 200 : 404))).toBe('ok')
    expect(await check(() => 200)).toBe('problem')
    expect(await check(() => 404)).toBe('problem')
  })

  test('nobody asks, or nobody answers', async () => {
    expect((await checkTlsPermission({ ...settings, askListen: null })).level).toBe('ok')
    const askListen = { host: '127.0.0.1', port: Number(await ownPort()) }
    expect((await checkTlsPermission({ ...settings, askListen })).level).toBe('warning')
  })
})

describe('clock', () => {
  const theirs = Date.UTC(2030, 0, 1)
  test.each([
    [0, 'ok'],
    [6_000, 'ok'],
    [6_001, 'problem'],
    [-5_000, 'ok'],
    [-5_001, 'problem'],
  ] as const)('%d ms ahead is %s', async (aheadMs, level) => {
    const date = new Date(theirs).toUTCString()
    await using server = serve(() => new Response(null, { headers: { date } }))
    expect((await checkClock(server.url.href, () => theirs + aheadMs)).level).toBe(level)
  })

  test('a server that does not answer', async () => {
    const nowhere = `http://127.0.0.1:${await ownPort()}`
    expect((await checkClock(nowhere, Date.now)).level).toBe('warning')
  })
})

describe('disk', () => {
  const check = async (freeGibibytes: number, ms: number) => {
    const diskSpace = async () => ({ free: freeGibibytes * gibibyte, total: 100 * gibibyte })
    const findings = await checkDisk('/', { diskSpace, syncMs: async () => ms })
    return findings.map(({ level }) => level)
  }
  test.each([
    [20, 50, ['ok', 'ok']],
    [19.9, 50.1, ['warning', 'warning']],
    [9.9, 1, ['problem', 'ok']],
  ] as const)('%d GB free, %d ms to sync', async (free, ms, levels) => {
    expect(await check(free, ms)).toEqual([...levels])
  })

  test('of a real folder, which stays as it was, and of none', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'doctor-'))
    expect(await checkDisk(dir)).toHaveLength(2)
    expect(await readdir(dir)).toEqual([])
    await rm(dir, { recursive: true })
    expect(await checkDisk(dir)).toMatchObject([
      { level: 'ok', seen: expect.stringMatching(/first start makes it/) },
    ])
  })
})

test.each([
  ['1023', 'problem'],
  ['1024', 'warning'],
  ['4096', 'ok'],
  ['unlimited', 'ok'],
] as const)('%s open files: %s', (limit, level) => {
  const limits = `Max processes  7 7 processes\nMax open files            ${limit}   65536  files\n`
  expect(checkOpenFiles(limits, 'the service').level).toBe(level)
})

test('a limit of open files that cannot be read', () => {
  expect(checkOpenFiles('', 'a service started here').level).toBe('warning')
})

test('what to do is below what was seen', () => {
  expect(
    findingLines([ok('clock', 'at most 1 s off'), problem('DNS', 'no address', 'add one')]),
  ).toEqual([
    'ok       clock          at most 1 s off',
    'problem  DNS            no address',
    '                        → add one',
  ])
})

const serve = (fetch: (request: Request) => Response) =>
  Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
