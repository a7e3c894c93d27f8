import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { generateDpopKey } from '@atcute/oauth-crypto'
import { openStoredSessions } from '#tests/support/database/stored-sessions.ts'
import { tarOf, zipOf } from './archives.ts'
import { type HostilePlace, secret } from './hostile-place.ts'

/** What one signed-in account asks of the service again and again, to keep it from everybody else. */
export interface Attack {
  readonly what: string
  readonly atOnce: number
  /** Before it is run for the first time. */
  prepare?(place: HostilePlace): Promise<void>
  /** Once; rejects when the service does something else than the attacker is meant to get. */
  run(place: HostilePlace): Promise<void>
}

const boundary = 'b'
const part = (disposition: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const form = (parts: string): string =>
  `${part('name="siteName"', 'blog')}${parts}--${boundary}--\r\n`
const file = (name: string, content: string): string =>
  part(`name="files"; filename="${name}"`, content)

const slowRules = Array.from({ length: 1000 }, (_, n) => `${'**/'.repeat(18)}a*b*c*d*e*f*g*${n}`)
const deepPath = (n: number): string => `${'a/'.repeat(30)}${'abcdefg'.repeat(20)}${n}.txt`
const ignoreForm = form(
  file('.sitehostignore', slowRules.join('\n')) +
    Array.from({ length: 990 }, (_, n) => file(deepPath(n), 'x')).join(''),
)
const tinyParts = form(part('name="x"', '').repeat(100_000))
const settingsOfNames = `{${Array.from({ length: 60_000 }, (_, n) => `"n${n}":0`).join(',')}}`
const archive = zipOf(Array.from({ length: 900 }, (_, n) => ({ name: `${n}`, content: 'x' })))

export const attacks: readonly Attack[] = [
  {
    what: 'ignore rules that compare without end',
    atOnce: 5,
    run: (place) => upload(place, ignoreForm, [400, 429]),
  },
  {
    what: 'a hundred thousand tiny parts',
    atOnce: 5,
    run: (place) => upload(place, tinyParts, [413, 429]),
  },
  {
    what: 'archives of a thousand files that are no site',
    atOnce: 5,
    run: (place) => upload(place, archiveForm(archive, 'a.zip'), [200, 400, 409, 413, 429]),
  },
  {
    what: 'small archives of much',
    atOnce: 5,
    run: (place) => upload(place, archiveForm(bomb, 'a.tar.gz'), [200, 400, 409, 413, 429]),
  },
  {
    what: 'settings of sixty thousand names',
    atOnce: 5,
    run: (place) =>
      ask(
        place,
        '/api/site/blog/settings',
        { method: 'POST', body: settingsOfNames },
        [400, 413, 429],
      ),
  },
  {
    what: 'lists of sites and domains',
    atOnce: 8,
    async run(place) {
      await ask(place, '/api/user/sites', {}, [200, 429])
      await ask(place, '/api/user/domains', {}, [200, 429])
    },
  },
  {
    what: 'sign-ins at a server that describes itself in 950 000 names',
    atOnce: 5,
    async run(place) {
      place.pds.lies.any = (path) => (path.startsWith('/.well-known/') ? names() : undefined)
      const body = JSON.stringify({ handle: place.pds.did })
      await ask(place, '/api/auth/signin', { method: 'POST', body }, [401, 429])
    },
  },
  {
    what: 'uploads to a server that answers in 950 000 names',
    atOnce: 5,
    prepare: storeSession,
    async run(place) {
      place.pds.lies.any = names
      await upload(place, form(''), [429, 502])
    },
  },
  {
    what: 'settings at a server whose record has 950 000 names',
    atOnce: 5,
    prepare: storeSession,
    async run(place) {
      place.pds.lies.any = names
      await ask(place, '/api/site/blog/settings', {}, [429, 502])
    },
  },
  {
    what: 'exports, and the server that is asked first answers in 950 000 names',
    atOnce: 5,
    prepare: storeSession,
    async run(place) {
      place.pds.lies.any = names
      await ask(place, '/api/user/export', {}, [200, 429])
    },
  },
  {
    what: 'pages of records of 200 000 names, in ingest',
    atOnce: 1,
    async run({ pds, tell }) {
      delete pds.lies.any
      pds.lies.records = () => pageOfNames(pds.did)
      const asked = pds.requests.length
      tell.identity(pds.did)
      tell.sync(pds.did)
      for (let n = 0; n < 50 && pds.requests.length === asked; n++) await Bun.sleep(20)
    },
  },
]

/** A tar.gz of 300 KB of which the most is unpacked that a site may have. */
const bomb = gzipSync(
  tarOf(Array.from({ length: 3 }, (_, n) => ({ name: `${n}`, content: Buffer.alloc(95_000_000) }))),
  { level: 9 },
)

let pages = 0

let answers = 0

/** Each time others: an answer takes no time of this process while it is measured. */
function names(): Response {
  const bytes = namesOnce.get(answers++ % answersMade)
  return new Response(bytes, { headers: { 'content-type': 'application/json' } })
}

const answersMade = 4
const namesOnce = new Map(
  Array.from({ length: answersMade }, (_, salt) => {
    const fields = Array.from({ length: 950_000 }, (_, n) => `"${salt}-${n}":0`)
    return [salt, Buffer.from(`{${fields.join(',')}}`)]
  }),
)

/** The account is signed in at its server, which has not confirmed that for days: exports need not wait for it. */
async function storeSession({ dataDir, db, pds }: HostilePlace): Promise<void> {
  const database = { file: join(dataDir, 'sitehost.db') }
  await using open = await openStoredSessions({ database, secret })
  const { did, url } = pds
  await open.sessions.set(did, {
    dpopKey: await generateDpopKey(['ES256']),
    authMethod: { method: 'none' },
    tokenSet: {
      iss: url,
      sub: did,
      aud: url,
      scope: 'atproto',
      token_type: 'DPoP',
      access_token: 'first',
      refresh_token: 'refresh-1',
      expires_at: Date.now() + 3_600_000,
    },
  } as never)
  const askedAt = Date.now()
  const failures = { did, since: askedAt - 73 * 3_600_000, askedAt, tries: 73 }
  await db
    .insertInto('grantFailures')
    .values(failures)
    .onConflict((conflict) => conflict.column('did').doUpdateSet(failures))
    .execute()
}

/** Names that nobody had before, each time. */
function pageOfNames(did: string): Response {
  const salt = `${pages++}`
  const names = Array.from({ length: 200_000 }, (_, n) => `"${salt}-${n}":0`).join(',')
  const record = `{"uri":"at://${did}/place.sitehost.fs/s${salt}","cid":"x","value":{${names}}}`
  return new Response(`{"records":[${record}],"cursor":"${salt}"}`, {
    headers: { 'content-type': 'application/json' },
  })
}

function archiveForm(content: Uint8Array, file: string): Uint8Array {
  const name = `site-${crypto.randomUUID()}`
  const head = part('name="siteName"', name)
  const field = `--${boundary}\r\nContent-Disposition: form-data; name="archive"; filename="${file}"\r\n\r\n`
  const end = `\r\n--${boundary}--\r\n`
  return Buffer.concat([Buffer.from(head + field), content, Buffer.from(end)])
}

async function upload(
  place: HostilePlace,
  body: string | Uint8Array,
  expected: readonly number[],
): Promise<void> {
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const init = { method: 'POST', headers, body: body as BodyInit }
  await ask(place, '/sitehost/upload-files', init, expected)
}

async function ask(
  { app, cookie }: HostilePlace,
  path: string,
  init: RequestInit,
  expected: readonly number[],
): Promise<void> {
  let answer: Response
  try {
    answer = await fetch(new URL(path, app), { ...init, headers: { ...init.headers, cookie } })
    await answer.bytes()
  } catch {
    // Refused while the rest of it was on its way.
    return
  }
  if (!expected.includes(answer.status)) throw new Error(`${path} answers ${answer.status}`)
}
