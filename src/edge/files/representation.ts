import type { Kept } from '#concurrency/memory-tier.ts'
import type { ContentCoding } from '#http/accept-encoding.ts'
import type { Validators } from '#http/conditions.ts'
import type { HeaderList } from '#http/header-fields.ts'
import { contentRange, type RangeDecision } from '#http/range.ts'

interface RepresentationFacts {
  readonly coding: ContentCoding
  /** Of the encoded body. */
  readonly bytes: number
  readonly status: number
  /** Null for a page that must not be cached. */
  readonly validators: Validators | null
  /** Headers that are the same for all codings. */
  readonly fields: HeaderList
}

/** Status and headers, shared by responses: building them costs more than the rest of a response. */
export interface Head {
  readonly status: number
  readonly headers: Headers
}

/** A file of a site in one coding, as sent on one host. */
export class Representation {
  readonly coding: ContentCoding
  readonly bytes: number
  readonly validators: Validators | null
  /** Includes the length, so that it also answers HEAD. */
  readonly whole: Head
  /** The body, if it was in memory at the last lookup. */
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

  /** The headers of a 200, without those that describe the body. */
  get notModified(): Head {
    if (this.#notModified === null) {
      const headers = this.#headersOf({})
      for (const name of describesBody) headers.delete(name)
      this.#notModified = { status: 304, headers }
    }
    return this.#notModified
  }

  /** As `whole`, without headers that require a known length. */
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

/** Caches have these already; RFC 9110 §15.4.5 asks for no more than they need. */
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
