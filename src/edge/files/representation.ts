import type { Kept } from '#concurrency/memory-tier.ts'
import type { ContentCoding } from '#http/accept-encoding.ts'
import type { Validators } from '#http/conditions.ts'
import type { HeaderList } from '#http/header-fields.ts'
import { contentRange, type RangeDecision } from '#http/range.ts'

interface RepresentationFacts {
  readonly coding: ContentCoding
  /** Of the body in this coding. */
  readonly bytes: number
  readonly status: number
  /** Null for a page that nobody may keep. */
  readonly validators: Validators | null
  /** What is the same in all codings. */
  readonly fields: HeaderList
}

/** A status with its headers, which all answers share: making them costs more than the rest of an answer. */
export interface Head {
  readonly status: number
  readonly headers: Headers
}

/** A file of a site in one coding, as it goes out on one host. */
export class Representation {
  readonly coding: ContentCoding
  readonly bytes: number
  readonly validators: Validators | null
  /** With the length, so that HEAD is answered with it as well. */
  readonly whole: Head
  /** The body, if it was in memory when it was last looked for. */
  kept: Kept<Blob> | undefined
  readonly #fields: HeaderList
  #notModified: Head | null = null

  constructor({ coding, bytes, status, validators, fields }: RepresentationFacts) {
    this.coding = coding
    this.bytes = bytes
    this.validators = validators
    this.#fields = fields
    this.whole = { status, headers: this.#headersOf({ 'content-length': String(bytes) }) }
  }

  /** What a 200 would have said, but for what describes the body. */
  get notModified(): Head {
    if (this.#notModified === null) {
      const headers = this.#headersOf({})
      for (const name of describesBody) headers.delete(name)
      this.#notModified = { status: 304, headers }
    }
    return this.#notModified
  }

  /** As `whole`, without what only holds for a body of known length. */
  get unsized(): Head {
    const headers = this.#headersOf({})
    headers.delete('accept-ranges')
    return { status: this.whole.status, headers }
  }

  part(range: Exclude<RangeDecision, string>): Head {
    return {
      status: 206,
      headers: this.#headersOf({
        'content-range': contentRange(range, this.bytes),
        'content-length': String(range.last - range.first + 1),
      }),
    }
  }

  #headersOf(facts: Readonly<Record<string, string>>): Headers {
    const headers = new Headers()
    for (const [name, value] of this.#fields) headers.append(name, value)
    if (this.validators !== null) headers.set('etag', this.validators.etag)
    if (this.coding !== 'identity') headers.set('content-encoding', this.coding)
    for (const [name, value] of Object.entries(facts)) headers.set(name, value)
    return headers
  }
}

/** Caches have it already, and RFC 9110 §15.4.5 asks for no more than they need. */
const describesBody = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-type',
  'last-modified',
  'x-content-type-options',
  'x-sitehost-record',
  'x-sitehost-version',
]
