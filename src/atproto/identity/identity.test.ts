import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { P256PublicKey } from '@atcute/crypto'
import { orAborted } from '#concurrency/or-aborted.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { Did } from '#site/site-address.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { Identities, IdentityError } from './identity.ts'

const key = 'zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo'
const webDid: Did = 'did:web:site.example'

/** What is served at each address; everything else is 404. Addresses asked for are noted. */
let web: Map<string, unknown>
let asked: string[]
let fetch: SafeFetch
beforeEach(() => {
  web = new Map()
  asked = []
  fetch = async (input) => {
    const url = String(input instanceof Request ? input.url : input)
    asked.push(url)
    const answer = web.get(url)
    if (answer instanceof Error) throw answer
    if (answer instanceof Response) return answer.clone()
    if (answer === undefined) return new Response('', { status: 404 })
    return typeof answer === 'string' ? new Response(answer) : Response.json(answer)
  }
})
const plc = (did: Did) => `https://plc.example/${encodeURIComponent(did)}`
const resolver = 'https://resolver.example'
const handleAt = (handle: string) =>
  `${resolver}/xrpc/com.atproto.identity.resolveHandle?handle=${handle}`

let now = 0
afterEach(() => {
  now = 0
})
const identities = (allowHttp = false) =>
  new Identities({
    fetch: (input, init) => fetch(input, init),
    plcUrl: 'https://plc.example',
    handleResolverUrl: resolver,
    allowHttp,
    now: () => now,
  })

test('identities that are asked for in another way are known to both', async () => {
  web.set(plc(alice), document(alice))
  const known = identities()
  const refused: SafeFetch = () => Promise.reject(new Error('no permit'))
  const others = known.by({ fetch: refused })
  await expect(others.resolve(alice)).rejects.toBeInstanceOf(IdentityError)
  const identity = await known.resolve(alice)
  expect(await others.resolve(alice)).toEqual(identity)
  others.forget(alice)
  web.clear()
  await expect(known.resolve(alice)).rejects.toBeInstanceOf(IdentityError)
})

async function verifiedHandle(): Promise<string | null | undefined> {
  const known = identities()
  return await known.verifiedHandle(await known.resolve(alice))
}

const document = (did: string, facts: Record<string, unknown> = {}) => ({
  id: did,
  alsoKnownAs: ['at://alice.example'],
  verificationMethod: [
    { id: `${did}#atproto`, type: 'Multikey', controller: did, publicKeyMultibase: key },
  ],
  service: [endpoint('https://pds.example')],
  ...facts,
})
const endpoint = (serviceEndpoint: string) => ({
  id: '#atproto_pds',
  type: 'AtprotoPersonalDataServer',
  serviceEndpoint,
})

test('an account has a server, a key, and a handle that leads back to it', async () => {
  web.set(plc(alice), document(alice)).set(handleAt('alice.example'), { did: alice })
  const known = identities()
  const identity = await known.resolve(alice)
  expect(identity).toMatchObject({ did: alice, pds: 'https://pds.example' })
  expect(await known.verifiedHandle(identity)).toBe('alice.example')
  expect(await identity.signingKey.exportPublicKey('multikey')).toBe(key)
})

test('a signing key is exported once for each DID document that is read', async () => {
  web.set(plc(alice), document(alice))
  using exported = spyOn(P256PublicKey.prototype, 'exportPublicKey')
  const known = identities()
  const multikeys = [await known.resolve(alice), await known.resolve(alice)]
  expect(multikeys.map(({ signingMultikey }) => signingMultikey)).toEqual([key, key])
  expect(exported).toHaveBeenCalledTimes(1)
  await known.resolve(alice, { fresh: true })
  expect(exported).toHaveBeenCalledTimes(2)
})

test('did:web is read from its host', async () => {
  web.set('https://site.example/.well-known/did.json', document(webDid))
  expect((await identities().resolve(webDid)).pds).toBe('https://pds.example')
})

describe('a handle that does not resolve back counts as none, without a failure', () => {
  const facts: [string, () => void][] = [
    ['leads to another account', () => web.set(handleAt('alice.example'), { did: bob })],
    ['leads nowhere', () => web.set(handleAt('alice.example'), new Response('', { status: 400 }))],
    ['is none', () => web.set(plc(alice), document(alice, { alsoKnownAs: ['at://nodots'] }))],
    ['is missing', () => web.set(plc(alice), document(alice, { alsoKnownAs: [] }))],
  ]
  for (const [what, arrange] of facts) {
    test(what, async () => {
      web.set(plc(alice), document(alice))
      arrange()
      expect(await verifiedHandle()).toBeNull()
    })
  }
})

test('a handle that cannot be looked up is not known, and no reason to fail', async () => {
  web.set(plc(alice), document(alice)).set(handleAt('alice.example'), new Error('away'))
  expect(await verifiedHandle()).toBeUndefined()
})

describe('an abort ends it, and nothing is cached', () => {
  for (const [what, url] of [
    ['while the document is awaited', plc(alice)],
    ['while the handle is looked up', handleAt('alice.example')],
  ] as const) {
    test(what, async () => {
      const [stop, honest] = [new AbortController(), fetch]
      web.set(plc(alice), document(alice)).set(handleAt('alice.example'), { did: alice })
      fetch = async (input, init) => {
        if (String(input) !== url || stop.signal.aborted) return await honest(input, init)
        stop.abort()
        return await orAborted(new Promise<Response>(() => undefined), init?.signal ?? undefined)
      }
      const known = identities()
      const ask = async (signal?: AbortSignal) =>
        await known.verifiedHandle(
          await known.resolve(alice, { ...(signal && { signal }) }),
          signal,
        )
      await expect(ask(stop.signal)).rejects.toThrow()
      expect(await ask()).toBe('alice.example')
    })
  }
})

describe('the server is a bare https origin', () => {
  const facts: [string, string | null][] = [
    ['https://pds.example', 'https://pds.example'],
    ['https://pds.example/', 'https://pds.example'],
    ['https://PDS.example:443', 'https://pds.example'],
    ['https://pds.example/xrpc', null],
    ['https://pds.example?x', null],
    ['https://pds.example#x', null],
    ['https://user@pds.example', null],
    ['https://@pds.example', null],
    ['https://pds.example:8443', null],
    ['http://pds.example', null],
    ['ftp://pds.example', null],
    ['file:///etc/passwd', null],
    ['pds.example', null],
    ['', null],
  ]
  for (const [endpointUrl, origin] of facts) {
    test(`${endpointUrl}: ${origin}`, async () => {
      web.set(plc(alice), document(alice, { service: [endpoint(endpointUrl)] }))
      const resolving = identities().resolve(alice)
      if (origin === null) await expect(resolving).rejects.toBeInstanceOf(IdentityError)
      else expect((await resolving).pds).toBe(origin)
    })
  }
  test('in development, http and ports too', async () => {
    const facts = { service: [endpoint('http://127.0.0.1:2583')] }
    web.set(plc(alice), document(alice, facts))
    expect((await identities(true).resolve(alice)).pds).toBe('http://127.0.0.1:2583')
  })
})

describe('rejects', () => {
  const refused = async (did: string) =>
    await expect(identities().resolve(did as Did)).rejects.toBeInstanceOf(IdentityError)

  for (const did of [
    'did:web:localhost%3A6379',
    'did:web:localhost',
    'did:web:10.0.0.1',
    'did:web:site.example:path',
    'did:web:site.example%2Fpath',
    'did:web:SITE.example',
    'did:key:zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo',
    'did:plc:short',
    'did:plc:../../x',
    'alice.example',
  ]) {
    test(`${did}, without any request`, async () => {
      await refused(did)
      expect(asked).toEqual([])
    })
  }
  const documents: [string, unknown][] = [
    ['the document of another account', document(bob)],
    ['no document', undefined],
    ['a document that is none', 'hello'],
    ['a document without a server', document(alice, { service: [] })],
    ['a document without a key', document(alice, { verificationMethod: [] })],
    [
      'a key that is none',
      document(alice, {
        verificationMethod: [
          {
            id: `${alice}#atproto`,
            type: 'Multikey',
            controller: alice,
            publicKeyMultibase: 'zabc',
          },
        ],
      }),
    ],
    ['a directory that is away', new Error('away')],
  ]
  for (const [what, answer] of documents) {
    test(what, async () => {
      web.set(plc(alice), answer)
      await refused(alice)
    })
  }
  test('a document that answers with a redirect', async () => {
    fetch = async () => Response.redirect('https://elsewhere.example/')
    await refused(alice)
  })
})

test('documents, and what handles lead to, are read up to 64 KiB', async () => {
  const caps: unknown[] = []
  fetch = async (_, init) => {
    caps.push(init?.limits?.responseBytesMax)
    return Response.json(document(alice))
  }
  await verifiedHandle()
  expect(caps).toEqual([65_536, 65_536])
})

describe('an answer is remembered', () => {
  const lookUps = () => asked.filter((url) => url === plc(alice)).length

  test('for ten minutes', async () => {
    web.set(plc(alice), document(alice))
    const known = identities()
    await known.resolve(alice)
    now = 10 * 60_000 - 1
    await known.resolve(alice)
    expect(lookUps()).toBe(1)
    now = 10 * 60_000
    await known.resolve(alice)
    expect(lookUps()).toBe(2)
  })
  test('unless a fresh one is asked for, which is remembered then', async () => {
    web.set(plc(alice), document(alice))
    const known = identities()
    await known.resolve(alice)
    web.set(plc(alice), document(alice, { service: [endpoint('https://new.example')] }))
    expect((await known.resolve(alice)).pds).toBe('https://pds.example')
    expect((await known.resolve(alice, { fresh: true })).pds).toBe('https://new.example')
    expect((await known.resolve(alice)).pds).toBe('https://new.example')
  })
  describe('unless something newer is known when it comes', () => {
    const [old, next] = ['https://old.example', 'https://next.example']
    const documentAt = (pds: string) => document(alice, { service: [endpoint(pds)] })

    /** A look of which the directory's answer is on its way for as long as `meanwhile` takes. */
    async function lookDuring(known: Identities, meanwhile: () => unknown): Promise<string> {
      web.set(plc(alice), documentAt(old))
      const [honest, isAsked] = [fetch, Promise.withResolvers<void>()]
      const held = Promise.withResolvers<void>()
      fetch = async (input, init) => {
        const answer = await honest(input, init)
        isAsked.resolve()
        await held.promise
        return answer
      }
      const look = known.resolve(alice, { fresh: true })
      await isAsked.promise
      fetch = honest
      web.set(plc(alice), documentAt(next))
      await meanwhile()
      held.resolve()
      return (await look).pds
    }

    test('the account has announced a change', async () => {
      const known = identities()
      expect(await lookDuring(known, () => known.forget(alice))).toBe(old)
      expect((await known.resolve(alice)).pds).toBe(next)
    })
    test('it is among those that are meant', async () => {
      const known = identities()
      const forget = () => known.forgetWhere((did) => did === alice)
      expect(await lookDuring(known, forget)).toBe(old)
      expect((await known.resolve(alice)).pds).toBe(next)
      web.set(plc(alice), documentAt(old))
      known.forgetWhere((did) => did === bob)
      expect((await known.resolve(alice)).pds).toBe(next)
      forget()
      expect((await known.resolve(alice)).pds).toBe(old)
    })
    test('any account may have announced one', async () => {
      const known = identities()
      expect(await lookDuring(known, () => known.forgetAll())).toBe(old)
      expect((await known.resolve(alice)).pds).toBe(next)
      web.set(plc(alice), documentAt(old))
      known.forgetAll()
      expect((await known.resolve(alice)).pds).toBe(old)
    })
    test('a look that began later has ended', async () => {
      const known = identities()
      await lookDuring(known, () => known.resolve(alice, { fresh: true }))
      expect((await known.resolve(alice)).pds).toBe(next)
      expect(lookUps()).toBe(2)
    })
    test('but not when it was of another account, or failed', async () => {
      const known = identities()
      await lookDuring(known, async () => {
        known.forget(bob)
        web.set(plc(alice), new Error('away'))
        await expect(known.resolve(alice, { fresh: true })).rejects.toThrow()
      })
      expect((await known.resolve(alice)).pds).toBe(old)
    })
  })
  test('a failure is not', async () => {
    const known = identities()
    await expect(known.resolve(alice)).rejects.toBeInstanceOf(IdentityError)
    web.set(plc(alice), document(alice))
    expect((await known.resolve(alice)).did).toBe(alice)
  })
})
