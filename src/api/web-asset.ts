import { LruMap } from '#concurrency/lru-map.ts'
import { type ContentCoding, preferredCoding } from '#http/accept-encoding.ts'
import { compress, type MadeCoding } from '#http/compress.ts'
import { checkConditions } from '#http/conditions.ts'
import { isCompressible, isWorthGzip } from '#site/encoding.ts'
import { immutable } from '#site/visit/cache-control.ts'

/** A file of the application with every coding that it is sent in, each made once. */
export interface WebAsset {
  readonly contentType: string
  /** Its name changes with its content. */
  readonly isImmutable: boolean
  /** As it is. */
  readonly body: Blob
  /** Best first; without those that save nothing. */
  readonly coded: () => Promise<CodedForms>
  /** Of the content. */
  readonly hash: string
  /** Of the script and of the styles in the document itself, as its content security policy names them. */
  readonly scriptHash: string | undefined
  readonly styleHash: string | undefined
  /** Of a page of an account: the document with the page in it, for one request. */
  readonly draw?: DrawOwnPage
}

/** `path`: with its query. `answers`: what the server knows of the account, as JSON. Throws what drawing throws. */
export type DrawOwnPage = (page: {
  readonly path: string
  readonly answers: string
}) => Promise<string>

type CodedForms = ReadonlyMap<MadeCoding, Blob>

/** The encoded bytes of one content coding. */
export type CodedBytes = ReadonlyMap<MadeCoding, Uint8Array<ArrayBuffer>>

interface AssetKind {
  readonly contentType: string
  readonly isImmutable?: boolean
  /** Compressed for the first request, not before. */
  readonly isCodedLater?: boolean
  /** By `codedText`, when the program was built. */
  readonly coded?: CodedBytes | undefined
  /** The script and the styles in the document itself. */
  readonly inlineScript?: string
  readonly inlineStyle?: string
}

export async function makeWebAsset(
  content: string | Uint8Array<ArrayBuffer>,
  { contentType, isCodedLater = false, isImmutable = false, coded: made, ...inline }: AssetKind,
): Promise<WebAsset> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22)
  const known = made === undefined ? null : formsOf(made)
  const coded = async () => known ?? (isText(contentType) ? await codedForms(hash, bytes) : noForms)
  if (!isCodedLater) await coded()
  const scriptHash = policyHash(inline.inlineScript)
  const styleHash = policyHash(inline.inlineStyle)
  return { contentType, isImmutable, body: new Blob([bytes]), coded, hash, scriptHash, styleHash }
}

/** Whether it is worth trying to compress it. */
export const isText = (contentType: string): boolean =>
  isCompressible(contentType.split(';', 1)[0] ?? '')

const policyHash = (text: string | undefined): string | undefined =>
  text === undefined
    ? undefined
    : `sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}`

const noForms: CodedForms = new Map()

const knownFormsMax = 200

// The app takes seconds of processor time. A bundle made again, as while it is worked on, has mostly the same files.
const knownForms = new LruMap<string, Promise<CodedForms>>(knownFormsMax)

/** Compresses, off the event loop, what was not compressed before. */
function codedForms(hash: string, bytes: Uint8Array): Promise<CodedForms> {
  const known = knownForms.get(hash)
  if (known !== undefined) return known
  const made = codedText(bytes).then(formsOf)
  knownForms.set(hash, made)
  return made
}

/** In the codings that save something, best first. */
export async function codedText(content: string | Uint8Array): Promise<CodedBytes> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const coded = new Map<MadeCoding, Uint8Array<ArrayBuffer>>()
  for (const coding of ['br', 'gzip'] as const) {
    const made = await compress[coding](bytes)
    if (isWorthGzip(bytes.length, made.length)) coded.set(coding, made)
  }
  return coded
}

const formsOf = (coded: CodedBytes): CodedForms =>
  new Map([...coded].map(([coding, bytes]) => [coding, new Blob([bytes])]))

/** The asset in the coding that the client prefers. Conditions count for 200 only (RFC 9110 §13.2.1). */
export async function assetAnswer(
  { body, coded: codedOf, contentType, hash, isImmutable }: WebAsset,
  request: Headers,
  status: 200 | 404 = 200,
): Promise<Response> {
  const coded = await codedOf()
  const codings: ContentCoding[] = [...coded.keys(), 'identity']
  const coding = preferredCoding(request.get('accept-encoding'), codings)
  const headers = new Headers({
    'cache-control': isImmutable ? immutable : 'no-cache',
  })
  if (coded.size > 0) headers.set('vary', 'Accept-Encoding')
  if (status === 200) {
    const etag = coding === 'identity' ? `"${hash}"` : `"${hash}-${coding}"`
    headers.set('etag', etag)
    // An asset has no time of its last change (RFC 9110 §13.1.3).
    const field = (name: string) => (name.endsWith('-since') ? null : request.get(name))
    const verdict = checkConditions(field, { etag, lastModified: 0 })
    if (verdict !== 'proceed') return new Response(null, { status: verdict, headers })
  }
  headers.set('content-type', contentType)
  if (coding === 'identity') return new Response(body, { status, headers })
  headers.set('content-encoding', coding)
  return new Response(coded.get(coding), { status, headers })
}
