import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyRing } from '#api/session/key-ring.ts'
import { BrowserSessions } from '#api/session/sessions.ts'
import { startServing } from '#main/commands/serve.ts'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { type Database, type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { readFirehoseCursor } from '#store/sites/firehose-cursors.ts'
import { cookieHeader } from '#tests/support/api.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import type { EventServer, LoggedFrame } from '#tests/support/servers/event-server.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'
import {
  jetstreamAccount,
  jetstreamCommit,
  jetstreamIdentity,
  startJetstreamServer,
} from '#tests/support/servers/jetstream-server.ts'
import { reposCommit, reposEvent, startReposServer } from '#tests/support/servers/repos-server.ts'
import type { HostileRepo } from './hostile-rows.ts'

/** A running service, and all that it hears of the network in hands that can make it lie. */
export interface HostilePlace extends AsyncDisposable {
  /** Origin of the application. */
  readonly app: string
  readonly dataDir: string
  /** What Alice's browser sends. */
  readonly cookie: string
  /** Of Alice, and the directory of everybody. */
  readonly pds: FakePds
  readonly events: EventServer
  /** The service's own, opened once more. */
  readonly db: Db
  /** Her repository as others write it: what is put there is told by the firehose. */
  readonly repo: HostileRepo
  /** Process of the service; null: it is in this one. */
  readonly process: { readonly pid: number; residentBytes(): Promise<number> } | null
  /** What the firehose says; true or not. */
  readonly tell: Teller
  /** What Alice is told about her sites, by their names. */
  problems(): Promise<ReadonlyMap<string, readonly string[]>>
  /** Resolves when all that was told so far was heard, and nothing waits to be looked at but what failed. */
  settled(): Promise<void>
  /** Why sites could not be read when they were looked at last. */
  failures(): Promise<string[]>
}

interface Teller {
  commit(did: string, path: string): void
  account(did: string, facts: object): void
  identity(did: string): void
  /** Nothing, where the source has no word for it. */
  sync(did: string): void
}

interface HostilePlaceOptions {
  /** How it hears of the network. */
  readonly source?: 'relay' | 'jetstream'
  /** In a process of its own, so that its memory can be measured. */
  readonly isApart?: boolean
  readonly environment?: Readonly<Record<string, string>>
  /** Before it starts. */
  readonly prepare?: (place: { readonly db: Db; readonly dataDir: string }) => Promise<void>
}

/** Alice is known there from the beginning, and signed in. */
export async function startHostilePlace({
  source = 'relay',
  isApart = false,
  environment = {},
  prepare,
}: HostilePlaceOptions = {}): Promise<HostilePlace> {
  await using opened = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'sitehost-hostile-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true }))
  const pds = opened.use(await startFakePds(alice))
  const events = opened.use(source === 'relay' ? startReposServer() : startJetstreamServer())
  const database = opened.use(openDatabase({ file: join(dataDir, 'sitehost.db') }))
  const cookie = await signIn(alice, database)
  await prepare?.({ db: database.db, dataDir })
  const settings = { ...settingsOf(pds, events), DATA_DIR: dataDir, ...environment }
  const service = await (isApart ? startApart(settings, opened) : startHere(settings, opened))

  const { tell, said } = teller(source, events)
  const open = opened.move()
  return {
    ...{
      app: service.app,
      dataDir,
      cookie,
      pds,
      events,
      db: database.db,
      process: service.process,
      tell,
    },
    repo: repoOf(pds, (path) => tell.commit(alice, path)),
    async problems() {
      const answer = await fetch(new URL('/api/user/sites', service.app), { headers: { cookie } })
      const { sites } = (await answer.json()) as { sites: { rkey: string; problems: string[] }[] }
      return new Map(sites.map((site) => [site.rkey, site.problems]))
    },
    async settled() {
      // The cursor is saved at once only where there was something to do.
      tell.commit(alice, 'place.sitehost.fs/not-there')
      await eventually(async () => {
        const cursor = await readFirehoseCursor(database.db, events.url)
        if (cursor === null || cursor < said()) throw new Error('not all was heard')
        if (await isBusy(database.db)) throw new Error('not all was looked at')
      })
    },
    failures: async () => (await queueOf(database.db)).flatMap(({ lastError }) => lastError ?? []),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

function teller(source: 'relay' | 'jetstream', events: EventServer) {
  let seq = source === 'relay' ? 0 : Date.now() * 1000
  const emit = (make: (number: number) => LoggedFrame): void => events.emit(make(++seq))
  const relay: Teller = {
    commit: (did, path) => emit((at) => reposCommit(at, did, path)),
    account: (did, facts) => emit((at) => reposEvent('#account', at, { did, ...facts })),
    identity: (did) => emit((at) => reposEvent('#identity', at, { did })),
    sync: (did) => emit((at) => reposEvent('#sync', at, { did })),
  }
  const jetstream: Teller = {
    commit: (did, path) => emit((at) => jetstreamCommit(at, did, path)),
    account: (did, facts) => emit((at) => jetstreamAccount(at, did, facts)),
    identity: (did) => emit((at) => jetstreamIdentity(at, did)),
    sync: () => undefined,
  }
  return { tell: source === 'relay' ? relay : jetstream, said: () => seq }
}

const queueOf = (db: Db) => workRows(db, 'site')

async function isBusy(db: Db): Promise<boolean> {
  const accounts = await workRows(db, 'account')
  const isWaiting = ({
    lastError,
    leasedUntil,
  }: {
    lastError: string | null
    leasedUntil: number
  }) => lastError === null || leasedUntil > Date.now()
  return accounts.length > 0 || (await queueOf(db)).some(isWaiting)
}

/** Of every place. */
export const secret = 'the secret of a test that is long enough'

function settingsOf(pds: FakePds, events: EventServer): Record<string, string> {
  return {
    ...{
      PORT: '0',
      SECRET_KEY: secret,
      LOG_LEVEL: 'error',
      SHUTDOWN_SECONDS_MAX: '0',
      ALLOW_PRIVATE_HOSTS: '1',
    },
    ...{ PLC_URL: pds.url, HANDLE_RESOLVER_URL: pds.url, RELAY_URL: pds.url },
    FIREHOSE_URL: events.url,
  }
}

async function signIn(did: Did, database: Database): Promise<string> {
  await migrate(database)
  await upsertAccount(database.db, { did, handle: 'alice.test' }, Date.now())
  const keys = new KeyRing([secret])
  const sessions = new BrowserSessions({ db: database.db, keys, secure: false, now: Date.now })
  return cookieHeader((await sessions.start(did)).cookies)
}

type Started = Pick<HostilePlace, 'app' | 'process'>

async function startHere(
  settings: Readonly<Record<string, string>>,
  opened: AsyncDisposableStack,
): Promise<Started> {
  const stop = new AbortController()
  const service = await startServing({}, settings, stop.signal)
  opened.defer(async () => {
    stop.abort()
    await service.stopped
  })
  return { app: service.ready.app, process: null }
}

async function startApart(
  settings: Readonly<Record<string, string>>,
  opened: AsyncDisposableStack,
): Promise<Started> {
  const service = opened.use(await startServiceProcess(['serve'], settings))
  return { app: service.ready.app, process: service }
}

/** Every record that is written is told of at once. */
export function repoOf(pds: FakePds, onWrite: (path: string) => void): HostileRepo {
  return {
    did: pds.did,
    blob: async (bytes, mimeType) => pds.addBlob(bytes, mimeType),
    async put(path, record) {
      await pds.putRecord(path, record)
      onWrite(path)
    },
  }
}
