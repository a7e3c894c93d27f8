import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import type { Seal } from '#atproto/oauth/seal.ts'
import { createSafeFetch, type SafeFetch } from '#outbound/safe-fetch.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { appendWebhookEvent } from '#store/webhooks/append-event.ts'
import { type Delivery, listDeliveries } from '#store/webhooks/deliveries.ts'
import { createWebhook } from '#store/webhooks/webhooks.ts'
import { Deliveries } from '#webhooks/run-deliveries.ts'
import { openWebhookSeal, webhookContext } from '#webhooks/webhook-secret.ts'
import { type LoggedLine, recordingLog } from './api.ts'
import { memoryDatabase } from './database/databases.ts'
import { alice, nameOf, newWebhook } from './database/sample-rows.ts'

interface Received {
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/** Deliveries of a database to an owner's server, both anew for each test. */
export class WebhookWorld {
  readonly secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  db!: Database['db']
  seal!: Seal
  now!: number
  stop!: AbortController
  received!: Received[]
  logged!: LoggedLine[]
  answer!: (request: Received) => Response | Promise<Response>
  #port = 0

  /** For all tests of the file. */
  static forEachTest(): WebhookWorld {
    const world = new WebhookWorld()
    let receiver: Bun.Server<undefined>
    let database: Database
    beforeAll(() => {
      receiver = world.#receive()
    })
    afterAll(() => receiver.stop(true))
    beforeEach(async () => {
      database = await memoryDatabase()
      world.db = database.db
      world.seal = await openWebhookSeal(['a secret key of this service, it is long'])
      world.now = 1_000_000_000_000
      world.stop = new AbortController()
      world.received = []
      world.logged = []
      world.answer = () => new Response(null, { status: 204 })
    })
    afterEach(() => database[Symbol.asyncDispose]())
    return world
  }

  #receive(): Bun.Server<undefined> {
    const receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { headers, url } = request
        const got = { path: new URL(url).pathname, headers, body: await request.text() }
        this.received.push(got)
        return await this.answer(got)
      },
    })
    this.#port = receiver.port ?? 0
    return receiver
  }

  contextOf(fetch: SafeFetch) {
    return {
      ...{ db: this.db, seal: this.seal, labelUrl, fetch, signal: this.stop.signal },
      ...{ log: recordingLog(this.logged), wakeUps: new WakeUps() },
      now: () => this.now,
      elapsed: () => this.now,
      random: () => 0,
    }
  }

  open(fetch = createSafeFetch({ allowPrivate: true })): Deliveries {
    return new Deliveries(this.contextOf(fetch))
  }

  async add(id = 'hook', facts: Parameters<typeof newWebhook>[0] = {}): Promise<void> {
    const url = `http://127.0.0.1:${this.#port}/${id}`
    const sealedSecret = await this.seal.seal(this.secret, webhookContext(id))
    const webhook = newWebhook({ id, url, host: new URL(url).host, sealedSecret, ...facts })
    await createWebhook(this.db, webhook, { webhooksMax: 99, now: this.now })
  }

  async publish(did = alice): Promise<void> {
    const message = { did, site: nameOf('blog'), labels: { url: 's--x' }, fileCount: 2 }
    await appendWebhookEvent(this.db, 'site.published', message, this.now)
  }

  async log(id = 'hook'): Promise<Delivery[]> {
    return await listDeliveries(this.db, id, { limit: 500, before: null })
  }

  /** Sends everything that is due, until nothing is. */
  async pass(deliveries = this.open()): Promise<void> {
    let before: number
    let nextMs: number
    do {
      before = await this.#attempts()
      nextMs = await deliveries.startDue()
      await deliveries.ended()
      // Those that were begun may have ended before that says so: then others of their accounts are due.
    } while (nextMs === 0 || (await this.#attempts()) > before)
  }

  async #attempts(): Promise<number> {
    const rows = await this.db.selectFrom('webhookDeliveries').select('attempts').execute()
    return rows.reduce((sum, { attempts }) => sum + attempts, 0)
  }
}

export const labelUrl = (label: string): string => `https://${label}.sites.example/`
