import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { join } from 'node:path'
import type { IngestFailPoint } from '#ingest/fail-points.ts'
import { devSettings } from '#main/commands/dev-network.ts'
import { activate, deactivate } from '#tests/support/account-admin.ts'
import {
  createSession,
  deleteRecord,
  type PdsAccount,
  putRecord,
  uploadBlob,
} from '#tests/support/accounts.ts'
import { eventually } from '#tests/support/eventually.ts'
import { pageUrl, writeSite } from '#tests/support/visitors/plain-sites.ts'
import { filesOfVersion, visibleVersion } from '#tests/support/visitors/visible-version.ts'
import type { Network } from '../../../devnet/start.ts'
import { ownPort } from './own-port.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const siteName = 'crashing'
/** In every version, so that a part of the blobs is known already. */
const lastingFiles = { 'style.css': 'body {}' }

interface CrashingIngestOptions {
  readonly network: Network
  readonly dataDir: string
  /** An account of the network, with this one site. */
  readonly handle: string
}

/** What the owner does, and what visitors get once the service knows: null: nothing. */
interface Deed {
  readonly act: () => Promise<unknown>
  readonly shows: number | null
  /** How many version records are kept in the end; left out: whatever there is. */
  readonly versions?: number
}

const versionPoints: readonly IngestFailPoint[] = [
  'version-taken',
  'version-kept',
  'version-removed',
  'version-finished',
]
const versionCollection = 'place.sitehost.version'
const versionKey = '3kaaaaaaaaaa2'

/** One site on a service of its own that mirrors everybody, whose process is killed while it reads the site. */
export class CrashingIngest {
  readonly #options: CrashingIngestOptions
  readonly #account: PdsAccount
  #service: ServiceProcess | undefined
  #app = ''
  #version = 0

  private constructor(options: CrashingIngestOptions, account: PdsAccount) {
    this.#options = options
    this.#account = account
  }

  /** Writes the first version, and waits until it is live. */
  static async open(options: CrashingIngestOptions): Promise<CrashingIngest> {
    const account = await createSession(options.network.pds, options.handle, 'hunter2pass')
    const site = new CrashingIngest(options, account)
    await site.#dieAt(null)
    site.#service = await site.#start()
    site.#app = site.#service.ready.app
    await site.#writeNext()
    await site.#settles(site.#version)
    return site
  }

  /**
   * The owner does something that leads a service which dies there past this point. The next start finishes
   * what was begun; until then visitors get what was before or what comes next, whole.
   */
  async crashAt(failPoint: IngestFailPoint): Promise<void> {
    const before = this.#version
    const { act, shows, versions } = this.#deedFor(failPoint)
    this.#service ??= await this.#start()
    await this.#dieAt(failPoint)
    await act()
    expect(await this.#service.exited).toBe(128 + 9)
    await this.#dieAt(null)
    this.#service = await this.#start()
    expect(await this.#shown()).toBeOneOf([before, shows])
    await this.#settles(shows)
    if (versions !== undefined) expect(this.#keptVersions()).toBe(versions)
    if (shows === null) await this.#forgetDeletion(failPoint)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    expect(await this.#service?.end('SIGTERM')).toBe(0)
  }

  /** The service that runs: each start finishes what the last one left, and is killed in its turn. */
  async #dieAt(failPoint: IngestFailPoint | null): Promise<void> {
    await Bun.write(this.#pointFile, failPoint ?? '')
  }

  get #pointFile(): string {
    return `${this.#options.dataDir}.failpoint`
  }

  #deedFor(failPoint: IngestFailPoint): Deed {
    if (failPoint.startsWith('account-')) {
      return { act: () => deactivate(this.#account), shows: null }
    }
    if (versionPoints.includes(failPoint)) {
      const isRemoved = failPoint === 'version-removed'
      const act = isRemoved ? () => this.#writeAndRemoveVersion() : () => this.#writeVersion()
      return { act, shows: this.#version, versions: isRemoved ? 0 : 1 }
    }
    if (failPoint === 'site-removed') {
      const remove = () => deleteRecord(this.#account, 'place.sitehost.fs', siteName)
      return { act: remove, shows: null }
    }
    return { act: () => this.#writeNext(), shows: this.#version + 1 }
  }

  async #forgetDeletion(failPoint: IngestFailPoint): Promise<void> {
    if (failPoint === 'site-removed') await this.#writeNext()
    else await activate(this.#account)
    await this.#settles(this.#version)
  }

  async #writeNext(): Promise<void> {
    this.#version += 1
    // Everybody's versions are alike, and a service that has them of somebody else stores none of them again.
    const whose = { 'whose.txt': `${this.#options.handle} ${this.#version}` }
    const files = { ...filesOfVersion(this.#version), ...lastingFiles, ...whose }
    await writeSite(this.#account, siteName, files)
  }

  async #writeVersion(): Promise<void> {
    const blob = await uploadBlob(this.#account, `kept ${this.#options.handle}`, 'text/html')
    const entries = [{ name: 'index.html', node: { type: 'file', blob } }]
    await putRecord(this.#account, versionCollection, versionKey, {
      site: siteName,
      root: { type: 'directory', entries },
      createdAt: new Date().toISOString(),
    })
  }

  async #writeAndRemoveVersion(): Promise<void> {
    await this.#writeVersion()
    await deleteRecord(this.#account, versionCollection, versionKey)
  }

  #shown(): Promise<number | null> {
    return visibleVersion(pageUrl(this.#app, this.#account.did, siteName))
  }

  /** Visitors get this, and nothing is left to do. */
  async #settles(shows: number | null): Promise<void> {
    await eventually(async () => {
      expect(await this.#shown()).toBe(shows)
      expect(this.#queued()).toBe(0)
    })
  }

  #queued(): number {
    return this.#count('work_items')
  }

  #keptVersions(): number {
    return this.#count(`version_records where state = 'kept' and did = '${this.#account.did}'`)
  }

  #count(of: string): number {
    using store = new Database(join(this.#options.dataDir, 'sitehost.db'), { readonly: true })
    const count = `select count(*) as rows from ${of}`
    return store.query<{ rows: number }, []>(count).get()?.rows ?? Number.NaN
  }

  async #start(): Promise<ServiceProcess> {
    const { dataDir, network } = this.#options
    const port = this.#app === '' ? await ownPort() : new URL(this.#app).port
    return await startServiceProcess(['serve', '--port', port, '--data', dataDir], {
      ...devSettings(network),
      INGEST: 'all',
      LOG_LEVEL: 'error',
      FAILPOINT_FILE: this.#pointFile,
    })
  }
}
