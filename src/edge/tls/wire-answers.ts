import { STATUS_CODES } from 'node:http'
import { type Kept, MemoryTier } from '#concurrency/memory-tier.ts'
import type { WholeAnswer } from '#edge/direct-request.ts'
import type { Head } from '#edge/files/representation.ts'
import { strictTransport } from './strict-transport.ts'

/** An answer as it is sent, with a date that is written over each second. */
interface Wire {
  readonly bytes: Buffer
  readonly alternate: string | null
  readonly dateAt: number
  second: number
}

/** Bytes of all kept answers. */
export const wireBytesMax = 32 * 1024 * 1024

/** What an entry takes beside its bytes, about (630 measured with 60 000 answers of 120 bytes, Bun 1.4.5). */
const entryBytes = 512

/** Larger bodies are not kept as they are sent: `Bodies` has them, too. */
export const wireBodyBytesMax = 64 * 1024

type Whole = Pick<WholeAnswer, 'body' | 'head'>

interface WireOptions {
  readonly hstsSeconds: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Answers of HTTP/1.1 as they are sent, of which the most used are kept: to make one costs more than all else that an answer takes. */
export class WireAnswers {
  readonly #tier = new MemoryTier<Wire>(wireBytesMax)
  readonly #keptOf = new WeakMap<Head, Kept<Wire>>()
  readonly #secure: (response: Response) => Response
  readonly #now: () => number
  #made = 0
  #second = -1
  #date = ''

  constructor({ hstsSeconds, now }: WireOptions) {
    this.#secure = strictTransport(hstsSeconds)
    this.#now = now
  }

  /** Null: not kept. A head belongs to one body. The bytes are shared: only their date changes. `alternate`: the field `Alt-Svc`, or null. */
  find({ head }: Whole, alternate: string | null): Uint8Array | null {
    const wire = this.#tier.use(this.#keptOf.get(head))
    if (wire === null || wire.alternate !== alternate) return null
    return this.#dated(wire)
  }

  /** `body` has `wireBodyBytesMax` bytes at most. */
  async make({ head, body }: Whole, alternate: string | null): Promise<Uint8Array> {
    const { status } = head
    const { headers } = this.#secure(new Response(null, head))
    if (alternate !== null) headers.set('alt-svc', alternate)
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ndate: `
    const dateAt = text.length
    text += `${this.#dateNow()}\r\n`
    for (const [name, value] of headers) text += `${name}: ${value}\r\n`
    text += '\r\n'
    const bytes = Buffer.concat([
      Buffer.from(text, 'latin1'),
      ...(body === null ? [] : [await body.bytes()]),
    ])
    const wire = { bytes, alternate, dateAt, second: this.#second }
    const before = this.#keptOf.get(head)
    if (before !== undefined) this.#tier.forget(before.key)
    this.#keptOf.set(head, this.#tier.keep(String(this.#made++), wire, bytes.length + entryBytes))
    return this.#dated(wire)
  }

  /** If a slow client still waits for these bytes, it may get a later date, which is as long. */
  #dated(wire: Wire): Uint8Array {
    const { bytes } = wire
    const date = this.#dateNow()
    if (wire.second !== this.#second) {
      wire.second = this.#second
      bytes.write(date, wire.dateAt, 'latin1')
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
