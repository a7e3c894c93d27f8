import { setTimeout as sleep } from 'node:timers/promises'
import { type ConsentOptions, consentOverHttp, type Send } from './consent.ts'

const visibleMsMax = 90_000
const lookAgainMs = 100

/** What the progress stream says of a job, and how it ended. */
export interface WatchedJob {
  progress: { status: string; progress: Record<string, unknown> }[]
  result: Record<string, unknown> | null
  error: string | null
}

/** One file of an upload: its path in the site and its content. */
export interface UploadFile {
  path: string
  body: Blob
}

/** A program that uses Sitehost over its HTTP interface, as a browser would, with cookies of its own. */
export class AppClient {
  readonly #app: string
  readonly #send: Send
  readonly #cookies = new Map<string, string>()

  /** `app` is the application's origin; `send` is how it and the account servers are reached. */
  constructor(app: string, send: Send = fetch) {
    this.#app = app
    this.#send = send
  }

  /** For a browser that goes on where this program is. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies
  }

  /** Cookies go along and are kept; redirects are not followed. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    if (cookie) headers.set('cookie', cookie)
    const url = new URL(path, this.#app)
    const response = await this.#send(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /**
   * Returns where the callback leads: `/editor`, `/onboarding` or `/?error=…`. `as` is what is typed here;
   * on the server's page, it is the handle.
   */
  async signIn(
    handle: string,
    password: string,
    { as = handle, ...options }: ConsentOptions & { as?: string } = {},
  ): Promise<string> {
    const answer = await this.fetch('/api/auth/signin', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: as }),
    })
    const { url } = (await answer.json()) as { url: string }
    const callback = await consentOverHttp(url, handle, password, {
      fetch: this.#send,
      ...options,
    })
    const response = await this.fetch(callback.pathname + callback.search)
    return response.headers.get('location') ?? ''
  }

  async upload(siteName: string, files: Iterable<UploadFile>): Promise<Response> {
    const form = new FormData()
    form.append('siteName', siteName)
    for (const { path, body } of files) form.append('files', body, path)
    return await this.fetch('/sitehost/upload-files', { method: 'POST', body: form })
  }

  /** Follows a job to its end. */
  async watch(jobId: string): Promise<WatchedJob> {
    const response = await this.fetch(`/sitehost/upload-progress/${jobId}`)
    if (!response.ok || response.body === null) throw new Error(`progress: ${response.status}`)
    const job: WatchedJob = { progress: [], result: null, error: null }
    for (const [event, data] of eventsOf(await response.text())) {
      if (event === 'progress') job.progress.push(data as WatchedJob['progress'][number])
      if (event === 'done') job.result = data as Record<string, unknown>
      if (event === 'error') job.error = (data as { error: string }).error
    }
    return job
  }

  /** Uploads a site and waits until visitors get it. Throws when it was refused or failed. */
  async publish(siteName: string, files: Iterable<UploadFile>): Promise<Record<string, unknown>> {
    const answer = await this.upload(siteName, files)
    const body = (await answer.json()) as { jobId?: string; error?: string }
    if (!answer.ok || body.jobId === undefined) {
      throw new Error(`upload of ${siteName} was refused: ${answer.status} ${body.error}`)
    }
    const { result, error } = await this.watch(body.jobId)
    if (result === null) throw new Error(`upload of ${siteName} failed: ${error}`)
    await this.untilVisible(siteName, result)
    return result
  }

  /** Restores a version, and follows the job to its end. Throws when it was refused or failed. */
  async restore(siteName: string, id: string, body = {}): Promise<Record<string, unknown>> {
    const path = `/api/site/${siteName}/versions/${id}/restore`
    const answer = await this.fetch(path, { method: 'POST', body: JSON.stringify(body) })
    const { jobId, error } = (await answer.json()) as { jobId?: string; error?: string }
    if (jobId === undefined) throw new Error(`not restored: ${answer.status} ${error}`)
    const job = await this.watch(jobId)
    if (job.result === null) throw new Error(`not restored: ${job.error}`)
    return job.result
  }

  /** Waits until visitors get what a job has published: on a busy machine that takes longer than the job waits for it. */
  async untilVisible(siteName: string, result: Record<string, unknown>): Promise<void> {
    for (const end = Date.now() + visibleMsMax; result['live'] !== true; await sleep(lookAgainMs)) {
      if ((await this.#liveCid(siteName)) === result['cid']) break
      if (Date.now() > end) throw new Error(`${siteName} is published, and not visible`)
    }
  }

  async #liveCid(siteName: string): Promise<string | undefined> {
    const answer = await this.fetch('/api/user/sites')
    const { sites } = (await answer.json()) as { sites: { rkey: string; cid: string }[] }
    return sites.find(({ rkey }) => rkey === siteName)?.cid
  }

  #keep(setCookie: string): void {
    const cookie = Bun.Cookie.parse(setCookie)
    if (cookie.maxAge === 0) this.#cookies.delete(cookie.name)
    else this.#cookies.set(cookie.name, cookie.value)
  }
}

function* eventsOf(text: string): Generator<[event: string, data: unknown]> {
  for (const block of text.split('\n\n')) {
    const event = /^event: (.*)$/m.exec(block)?.[1]
    const data = /^data: (.*)$/m.exec(block)?.[1]
    if (event !== undefined && data !== undefined) yield [event, JSON.parse(data)]
  }
}
