import { join } from 'node:path'
import { KeyRing } from '#api/session/key-ring.ts'
import { BrowserSessions } from '#api/session/sessions.ts'
import { readSecrets } from '#main/config/secret-key.ts'
import type { Did } from '#site/site-address.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { createAccount, createSession, type PdsAccount } from '../support/accounts.ts'
import { cookieHeader, mebibyte } from '../support/api.ts'
import { startWorld, type World } from '../support/world.ts'
import { RoamingClient } from './roaming-client.ts'

/** An account of the network that has signed in here. */
export interface Person {
  readonly client: AppClient
  readonly did: Did
  readonly repo: PdsAccount
}

/**
 * Who is there: alice has the site `blog`, bob the site `theirs`, carol and dora nothing.
 */
export type PersonName = 'alice' | 'bob' | 'carol' | 'dora'

/** The one world of the suite, with its name server, its people, and a door to the service's database. */
export interface Stage extends AsyncDisposable {
  readonly world: World
  readonly dns: DnsServer
  readonly people: Readonly<Record<PersonName, Person>>
  readonly database: Database
  readonly keys: KeyRing
  /** The `Cookie` header of a new session here; the account need not exist anywhere. */
  session(did: Did): Promise<string>
}

export const password = 'hunter2pass'

export async function openStage(): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const dns = opened.use(await startDnsServer({}))
  const limits = { MAX_FILE_BYTES: String(mebibyte), MAX_SITE_BYTES: String(1.5 * mebibyte) }
  const environment = { DNS_SERVERS: dns.address, MAX_SITE_FILES: '1000', ...limits }
  const world = opened.use(await startWorld({ canFail: true, environment }))
  const database = opened.use(openDatabase({ file: join(world.dataDir, 'sitehost.db') }))
  const keys = new KeyRing(await readSecrets([], world.dataDir))
  const sessions = new BrowserSessions({ db: database.db, keys, secure: false, now: Date.now })
  const people = await signInAll(world)
  await people.alice.client.publish('blog', [textFile('index.html', '<h1>blog</h1>')])
  await people.bob.client.publish('theirs', [textFile('index.html', '<h1>theirs</h1>')])
  const open = opened.move()
  return {
    ...{ world, dns, people, database, keys },
    session: async (did) => cookieHeader((await sessions.start(did)).cookies),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function signInAll(world: World): Promise<Record<PersonName, Person>> {
  const { pds } = world.network
  await createAccount(pds, 'dora.test')
  const signIn = async (name: PersonName): Promise<Person> => {
    const client = new RoamingClient(world.app)
    const handle = `${name}.test`
    const target = await client.signIn(handle, password)
    if (target.includes('error')) throw new Error(`sign-in of ${handle} led to ${target}`)
    const repo = await createSession(pds, handle, password)
    return { client, repo, did: repo.did as Did }
  }
  const [alice, bob, carol, dora] = await Promise.all([
    ...[signIn('alice'), signIn('bob'), signIn('carol'), signIn('dora')],
  ])
  if (!alice || !bob || !carol || !dora) throw new TypeError('four of them')
  return { alice, bob, carol, dora }
}
