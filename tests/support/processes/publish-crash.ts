import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import type { FailPoint } from '#publish/fail-points.ts'
import { eventually } from '#tests/support/eventually.ts'
import { orphanedParts } from '#tests/support/publishing/orphaned-parts.ts'
import { filesOfVersion, visibleVersion } from '#tests/support/visitors/visible-version.ts'
import { AppClient, type UploadFile } from '../../../devnet/app-client.ts'
import type { Network } from '../../../devnet/start.ts'
import { ownPort } from './own-port.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const siteName = 'crashing'

interface CrashingSiteOptions {
  readonly network: Network
  readonly dataDir: string
  /** An account of the network, with this one site. */
  readonly handle: string
  /** Files that are the same in every version. */
  readonly lastingFiles: readonly UploadFile[]
}

/** One site on a service of its own, whose process is killed while the site is published. */
export class CrashingSite {
  readonly #options: CrashingSiteOptions
  readonly #did: string
  #service: ServiceProcess | undefined
  #app = ''
  #client = new AppClient('')
  #url = ''
  #version = 0

  private constructor(options: CrashingSiteOptions) {
    const { network, handle } = options
    this.#options = options
    this.#did = network.accounts.find((account) => account.handle === handle)?.did ?? ''
  }

  /** Signs in and publishes the first version. */
  static async open(options: CrashingSiteOptions): Promise<CrashingSite> {
    const site = new CrashingSite(options)
    await site.#dieAt(null)
    site.#service = await site.#start()
    site.#app = site.#service.ready.app
    site.#client = new AppClient(site.#app)
    await site.#client.signIn(options.handle, 'hunter2pass')
    site.#url = String((await site.#publishNext())['url'])
    return site
  }

  /**
   * Publishes the next version on a process that dies at this point, starts the service again, and
   * proves that nothing is lost, mixed or left behind. How the interrupted job ended: null without a job.
   */
  async crashAt(failPoint: FailPoint): Promise<'completed' | 'failed' | null> {
    const jobId = await this.#publishUntil(failPoint)
    await this.#dieAt(null)
    this.#service = await this.#start()
    expect(await visibleVersion(this.#url)).toBeOneOf([this.#version, this.#version + 1])
    const end = jobId === null ? null : await this.#endOf(jobId)
    if (end === 'completed') this.#version += 1
    await eventually(async () => expect(await visibleVersion(this.#url)).toBe(this.#version))

    this.#version += 1 // the one that crashed: its content may be in the repository
    await this.#publishNext()
    await eventually(async () => expect(await visibleVersion(this.#url)).toBe(this.#version))
    const account = { pds: this.#options.network.pds, did: this.#did }
    expect(await orphanedParts(account)).toEqual([])
    await eventually(async () => {
      expect(await readdir(join(this.#options.dataDir, 'spool'))).toEqual([])
    })
    return end
  }

  async [Symbol.asyncDispose](): Promise<void> {
    expect(await this.#service?.end('SIGTERM')).toBe(0)
  }

  /** The service that runs: each start finishes what the last one left, and is killed in its turn. */
  async #dieAt(failPoint: FailPoint | null): Promise<void> {
    await Bun.write(this.#pointFile, failPoint ?? '')
  }

  get #pointFile(): string {
    return `${this.#options.dataDir}.failpoint`
  }

  async #start(): Promise<ServiceProcess> {
    const { dataDir, network } = this.#options
    const port = this.#app === '' ? await ownPort() : new URL(this.#app).port
    return await startServiceProcess(['serve', '--port', port, '--data', dataDir], {
      ...devSettings(network),
      LOG_LEVEL: 'error',
      FAILPOINT_FILE: this.#pointFile,
    })
  }

  async #publishUntil(failPoint: FailPoint): Promise<string | null> {
    this.#service ??= await this.#start()
    await this.#dieAt(failPoint)
    const before = this.#jobIds()
    // The answer may be lost with the process.
    await this.#client.upload(siteName, this.#filesOf(this.#version + 1)).catch(() => undefined)
    expect(await this.#service.exited).toBe(128 + 9)
    const [jobId = null, ...more] = this.#jobIds().filter((id) => !before.includes(id))
    expect(more).toEqual([])
    return jobId
  }

  #jobIds(): string[] {
    using store = new Database(join(this.#options.dataDir, 'sitehost.db'))
    return store
      .query<{ id: string }, []>('select id from jobs')
      .all()
      .map(({ id }) => id)
  }

  async #endOf(jobId: string): Promise<'completed' | 'failed'> {
    const { result, error } = await this.#client.watch(jobId)
    if (result === null) expect(error).toContain('othing was published')
    return result === null ? 'failed' : 'completed'
  }

  async #publishNext(): Promise<Record<string, unknown>> {
    const result = await this.#client.publish(siteName, this.#filesOf(this.#version + 1))
    this.#version += 1
    return result
  }

  #filesOf(version: number): UploadFile[] {
    const files = Object.entries(filesOfVersion(version))
    const own = files.map(([path, body]) => ({ path, body: new Blob([body]) }))
    return [...this.#options.lastingFiles, ...own]
  }
}
