import { STATUS_CODES } from 'node:http'
import { type Kept, MemoryTier } from '#concurrency/memory-tier.ts'
import type { InMemoryAnswer } from '#edge/files/in-memory-answer.ts'
import type { Head } from '#edge/files/representation.ts'
import { secureFields } from './secure-fields.ts'

/** An answer as HTTP/1.1 sends it, with a date that is written over each second. */
interface Serialized {
  readonly bytes: Buffer
  readonly altSvc: string | null
  readonly dateAt: number
  second: number
}

/** Bytes of all kept answers. */
export const serializedBytesMax = 32 * 1024 * 1024

/** What an entry takes beside its bytes, about (630 measured with 60 000 answers of 120 bytes, Bun 1.4.5). */
const entryBytes = 512

/** Larger bodies are not kept as they are sent: `Bodies` has them, too. */
export const serializedBodyBytesMax = 64 * 1024

type Made = Pick<InMemoryAnswer, 'body' | 'head'>

interface SerializedOptions {
  readonly hstsSeconds: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Answers of HTTP/1.1 as they are sent, of which the most used are kept: to serialize one costs more than all else that an answer takes. */
export class SerializedAnswers {
  readonly #tier = new MemoryTier<Serialized>(serializedBytesMax)
  readonly #keptOf = new WeakMap<Head, Kept<Serialized>>()
  readonly #secure: ReturnType<typeof secureFields>
  readonly #now: () => number
  #count = 0
  #forgotten = 0
  #second = -1
  #date = ''

  constructor({ hstsSeconds, now }: SerializedOptions) {
    this.#secure = secureFields(hstsSeconds)
    this.#now = now
  }

  /** Null: not kept. The bytes are shared: only their date changes. `altSvc`: the field `Alt-Svc`, or null. */
  find({ head }: Made, altSvc: string | null): Uint8Array | null {
    const kept = this.#tier.use(this.#keptOf.get(head))
    if (kept === null || kept.altSvc !== altSvc) return null
    return this.#dated(kept)
  }

  /** `body` has `serializedBodyBytesMax` bytes at most. */
  async serialize({ head, body }: Made, altSvc: string | null): Promise<Uint8Array> {
    const { status } = head
    const { headers } = this.#secure(new Response(null, head), altSvc)
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ndate: `
    const dateAt = text.length
    text += `${this.#dateNow()}\r\n`
    const [second, forgotten] = [this.#second, this.#forgotten]
    for (const [name, value] of headers) text += `${name}: ${value}\r\n`
    text += '\r\n'
    const bytes = Buffer.concat([
      Buffer.from(text, 'latin1'),
      ...(body === null ? [] : [await body.bytes()]),
    ])
    const kept = { bytes, altSvc, dateAt, second }
    // What was forgotten meanwhile is not kept again.
    if (forgotten !== this.#forgotten) return bytes
    const before = this.#keptOf.get(head)
    if (before !== undefined) this.#tier.forget(before.key)
    this.#keptOf.set(head, this.#tier.keep(String(this.#count++), kept, bytes.length + entryBytes))
    return this.#dated(kept)
  }

  forgetAll(): void {
    this.#forgotten++
    this.#tier.forgetAll()
  }

  /** If a slow client still waits for these bytes, it may get a later date, which is as long. */
  #dated(kept: Serialized): Uint8Array {
    const { bytes } = kept
    const date = this.#dateNow()
    if (kept.second !== this.#second) {
      kept.second = this.#second
      bytes.write(date, kept.dateAt, 'latin1')
    }
    return bytes
  }

  #dateNow(): string {
    const now = this.#now()
    const second = Math.floor(now / 1_000)
    if (second !== this.#second) {
      this.#second = second
      this.#date = new Date(now).toUTCString()
    }
    return this.#date
  }
}
