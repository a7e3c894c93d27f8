import { type CountedPage, pagePathOf } from '#edge/shares/visit-counts.ts'
import type { ContentCoding } from '#http/accept-encoding.ts'
import type { HeaderList } from '#http/header-fields.ts'
import { isHashedAsset } from '#site/visit/cache-control.ts'
import type { Decision } from '#site/visit/decision.ts'
import { fileFields, makeableCodings } from '#site/visit/file-fields.ts'
import type { Place } from '#site/visit/place.ts'
import type { ServableSite } from '#site/visit/servable-site.ts'
import type { Bodies } from './bodies.ts'
import { type CodingSet, codingSet } from './codings.ts'
import { etagOf } from './etag.ts'
import { Representation } from './representation.ts'

type FileDecision = Extract<Decision, { kind: 'file' }>

const keptHeaderCharsMax = 200

interface Choice {
  readonly header: string | null
  readonly representation: Representation
}

/** The responses for a file at one address: representations, each made on first use. */
export class FileAnswer {
  readonly decision: FileDecision
  /** The stored codings, and those that we can make. */
  readonly possible: CodingSet
  /** Approximate memory use, all representations included. */
  readonly bytes: number
  /** Null: no page, or one that says that there is none. */
  readonly page: CountedPage | null
  readonly #pathname: string
  readonly #lastModified: number
  readonly #isOnlyHere: boolean
  readonly #fields: HeaderList
  readonly #contentType: string
  readonly #disposition: string | undefined
  #last: Choice | null = null
  readonly #made = new Map<ContentCoding, Representation>()

  constructor(site: ServableSite, decision: FileDecision, place: Place) {
    this.decision = decision
    this.#lastModified = site.liveSince
    this.possible = codingSet([decision.file.coding, ...makeableCodings(decision.file)])
    this.#pathname = place.pathname
    this.#isOnlyHere =
      !site.headers.isEmpty || isHashedAsset(decision.path) || place.canonical !== null
    const { disposition, fields } = fileFields(site, decision, place)
    this.#fields = fields
    this.#contentType = fields.find(([name]) => name === 'content-type')?.[1] ?? ''
    this.#disposition = disposition
    const isPage = decision.status === 200 && /^text\/html\b/.test(this.#contentType)
    this.page = isPage ? { path: pagePathOf(decision.path), host: place.host } : null
    this.bytes = answerBytes(this.#fields, this.possible.codings.length)
  }

  /** Whether it also answers this decision, on the same host and version. */
  fits({ file, path, status, vary }: FileDecision, pathname: string): boolean {
    const known = this.decision
    return (
      known.file === file &&
      known.path === path &&
      known.status === status &&
      (known.vary === vary || (known.vary.length === 0 && vary.length === 0)) &&
      (!this.#isOnlyHere || this.#pathname === pathname)
    )
  }

  /** The last choice, if it was for the same `Accept-Encoding` and cannot have been evicted. */
  lastFor(header: string | null): Representation | null {
    return this.#last !== null && this.#last.header === header ? this.#last.representation : null
  }

  choseFor(header: string | null, representation: Representation): void {
    // A long header would be kept with every file.
    if (header !== null && header.length > keptHeaderCharsMax) return
    const { coding } = representation
    // Codings that we make may be evicted, and then need a new choice.
    if (coding !== 'identity' && coding !== this.decision.file.coding) return
    this.#last = { header, representation }
  }

  /** Null for a coding that we make, if it is not in memory. */
  representation(coding: ContentCoding, bodies: Bodies): Representation | null {
    const known = this.#made.get(coding)
    const { file } = this.decision
    if (coding === file.coding) return known ?? this.#make(coding, file.storedBytes)
    if (coding === 'identity') return known ?? this.#make(coding, file.bytes)
    if (known?.kept?.value) return known
    const kept = bodies.find(file, coding)
    if (!kept?.value) return null
    const made = this.#make(coding, kept.value.size)
    made.kept = kept
    return made
  }

  #make(coding: ContentCoding, bytes: number): Representation {
    const { file, status } = this.decision
    const disposition = this.#disposition
    const etag = etagOf({ file, coding, contentType: this.#contentType, disposition })
    const validators = status === 200 ? { etag, lastModified: this.#lastModified } : null
    const made = new Representation({ coding, bytes, status, validators, fields: this.#fields })
    this.#made.set(coding, made)
    return made
  }
}

// Measured (Bun 1.4.5, resident memory of 3000 answers with 10 to 110 fields of 2 to 950 characters): the estimate is
// 0.8 to 1.5 times the memory used. A list of headers shares its strings with the heads made of it.
const ownBytes = 900
const fieldBytes = 95
const headBytes = 300
const fieldInHeadBytes = 16

/** Each coding has a head for 200 and one for 304. */
const headsPerCoding = 2

/** Approximate memory of an answer with these fields once it was requested in all its codings. */
function answerBytes(fields: HeaderList, codings: number): number {
  const heads = codings * headsPerCoding
  let bytes = ownBytes + heads * headBytes
  for (const [name, value] of fields) {
    bytes += fieldBytes + heads * fieldInHeadBytes + name.length + value.length
  }
  return bytes
}
