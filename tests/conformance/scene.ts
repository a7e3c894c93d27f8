import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '#store/database/database.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import type { AppClient, UploadFile } from '../../devnet/app-client.ts'
import { consentOverHttp } from '../../devnet/consent.ts'
import type { DevnetFault } from '../../devnet/start.ts'
import { eventually } from '../support/eventually.ts'
import type { Facts } from './like.ts'
import { RoamingClient } from './roaming-client.ts'
import { type PersonName, password, type Stage } from './stage.ts'

/**
 * What is there before one row asks. It knows by name what it has set up (`facts`), and takes all of it
 * down again in the end.
 */
export class Scene implements AsyncDisposable {
  readonly stage: Stage
  /** One that has never been here. */
  readonly browser: AppClient
  readonly #facts: Record<string, string>
  readonly #after = new AsyncDisposableStack()

  constructor(stage: Stage) {
    this.stage = stage
    this.browser = new RoamingClient(stage.world.app)
    const { people, world } = stage
    const { alice, bob, carol, dora } = people
    const { pds } = world.network
    const dids = { alice: alice.did, bob: bob.did, carol: carol.did, dora: dora.did }
    this.#facts = { ...dids, pds, pdsHost: new URL(pds).host, app: world.app, base: 'localhost' }
  }

  get facts(): Facts {
    return this.#facts
  }

  know(name: string, value: string): void {
    this.#facts[name] = value
  }

  after(undo: () => unknown): void {
    this.#after.defer(async () => void (await undo()))
  }

  /** A request of somebody's that has to succeed. */
  async do(who: PersonName, method: string, path: string, body?: object) {
    const { client } = this.stage.people[who]
    const init = { method, ...(body && { body: JSON.stringify(body) }) }
    const response = await client.fetch(path, init)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
    return (await response.json()) as Record<string, string>
  }

  /** `{domain}`, or what `as` says: a name of theirs. */
  async claim(who: PersonName, handle: string, as = 'domain'): Promise<void> {
    const { domain = '' } = await this.do(who, 'POST', '/api/domain/claim', { handle })
    this.know(as, domain)
    this.after(() => this.#release(who))
  }

  /** However it is called by now. */
  async #release(who: PersonName): Promise<void> {
    const { client } = this.stage.people[who]
    const answer = await client.fetch('/api/user/domains')
    const { sitehostDomains } = (await answer.json()) as { sitehostDomains: { domain: string }[] }
    for (const { domain } of sitehostDomains) {
      await client.fetch(`/api/domain/sitehost/${domain}`, { method: 'DELETE' })
    }
  }

  /** `{id}`, or what `as` says: a domain of theirs that waits to be verified. */
  async add(who: PersonName, domain: string, as = 'id'): Promise<void> {
    const { id = '' } = await this.do(who, 'POST', '/api/domain/custom/add', { domain })
    this.know(as, id)
    const { client } = this.stage.people[who]
    this.after(() => client.fetch(`/api/domain/custom/${id}`, { method: 'DELETE' }))
  }

  async addVerified(who: PersonName, domain: string, as = 'id'): Promise<void> {
    this.prove(domain, this.stage.people[who].did)
    await this.add(who, domain, as)
    await this.do(who, 'POST', '/api/domain/custom/verify', { id: this.facts[as] })
  }

  /** The TXT values of a domain. */
  prove(domain: string, ...values: string[]): void {
    const { names } = this.stage.dns
    names.set(`_sitehost.${domain}`, { txt: values })
    this.after(() => names.delete(`_sitehost.${domain}`))
  }

  async publish(who: PersonName, name: string, files: UploadFile[] = page(name)): Promise<void> {
    await this.stage.people[who].client.publish(name, files)
    this.after(() => this.removeSite(who, name))
  }

  /** `{jobId}`, or what `as` says: an upload that was accepted. */
  async upload(who: PersonName, name: string, files = page(name), as = 'jobId'): Promise<void> {
    const { client } = this.stage.people[who]
    const answer = await client.upload(name, files)
    const { jobId } = (await answer.json()) as { jobId?: string }
    if (jobId === undefined) throw new Error(`upload of ${name}: ${answer.status}`)
    this.know(as, jobId)
    this.after(() => this.removeSite(who, name))
  }

  /** Once its job has ended. */
  async removeSite(who: PersonName, name: string): Promise<void> {
    const { client } = this.stage.people[who]
    const sitePath = `/api/site/${name}`
    await eventually(async () => {
      const { status } = await client.fetch(sitePath, { method: 'DELETE' })
      if (status !== 200 && status !== 404) throw new Error(`DELETE ${sitePath}: ${status}`)
    })
  }

  /** `{jobId}`, or what `as` says: an upload whose files the account's server does not take until the scene ends. */
  async held(who: PersonName, name: string, as = 'jobId'): Promise<void> {
    const hold = { 'com.atproto.repo.uploadBlob': { hold: true } }
    this.stage.world.network.setFaults(hold)
    await this.upload(who, name, page(crypto.randomUUID()), as)
    // After the upload, and so lifted before its end is waited for.
    this.after(() => this.stage.world.network.setFaults({}))
  }

  /** As `held`, once it has got to the account's server. */
  async running(who: PersonName, name: string, as = 'jobId'): Promise<void> {
    await this.held(who, name, as)
    await eventually(async () => {
      const status = await this.#jobStatus(this.facts[as] ?? '')
      if (status !== 'uploading') throw new Error(`the job is ${status}`)
    })
  }

  async #jobStatus(id: string): Promise<string | undefined> {
    const query = this.stage.database.db.selectFrom('jobs').select('status').where('id', '=', id)
    return (await query.executeTakeFirst())?.status
  }

  /** Something goes wrong with these calls of the account's server until the scene ends. */
  fail(faults: Record<string, DevnetFault>): void {
    this.stage.world.network.setFaults(faults)
    this.after(() => this.stage.world.network.setFaults({}))
  }

  /** The service finds a table missing until the scene ends: one that only requests need, or it would end. */
  async hideTable(name: string): Promise<void> {
    // Nothing here may wait for the service without letting it run: it is in this process.
    const rename = async (from: string, to: string): Promise<void> => {
      await using file = openDatabase({ file: join(this.stage.world.dataDir, 'sitehost.db') })
      await sql`pragma legacy_alter_table = on`.execute(file.db)
      await sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(file.db)
    }
    await rename(name, `hidden_${name}`)
    this.after(() => rename(`hidden_${name}`, name))
  }

  /** `{callback}`: where the account's server sends the browser that signs in. */
  async consent(
    handle: string,
    options: { reject?: boolean; scope?: string; returnTo?: string } = {},
  ): Promise<void> {
    const query = new URLSearchParams({ handle, return_to: options.returnTo ?? '' })
    const begun = await this.browser.fetch(`/api/auth/login?${query}`)
    const url = begun.headers.get('location') ?? ''
    const { pathname, search } = await consentOverHttp(url, handle, password, options)
    this.know('callback', pathname + search)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#after.disposeAsync()
  }
}

export const page = (text: string): UploadFile[] => [textFile('index.html', `<h1>${text}</h1>`)]
