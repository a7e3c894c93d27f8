import { pieceStream } from '#api/body-stream.ts'
import type { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { headOfStream } from '#api/head-length.ts'
import { decode } from '#blobs/decode.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { piecesOf } from '#concurrency/pieces-of.ts'
import { nameOf } from '#site/path.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { fileOf } from './version-content.ts'

interface FileContext extends Pick<ApiContext, 'blobs' | 'db' | 'log'> {
  readonly request: Request
  /** At once, of the account. */
  readonly reading: ConcurrencyLimit
}

/** Sends one file of a version, decoded, as a download that no browser runs. Throws ApiError 404, 410 and 429. */
export async function versionFile(
  site: SiteAddress,
  id: string,
  path: string,
  { blobs, db, log, reading, request }: FileContext,
): Promise<Response> {
  // Before the snapshot is decoded, which takes more than most files. Released on return unless the body takes it over.
  using held = new DisposableStack()
  held.use(await reading.acquire(site.did))
  const file = await fileOf(site, id, path, { db, log })
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': attachmentNamed(nameOf(path)),
  }
  const stored = await blobs.open(file.hash)
  if (stored === null) throw new ApiError(410, sentences.filesNotKept)
  // Hono drops the body of an answer to HEAD without cancelling it, so the permit would never be released.
  if (request.method === 'HEAD') return headOfStream(headers)
  const permit = held.move()
  onAbort(request.signal, () => permit.dispose())
  const pieces = file.coding === 'gzip' ? decode(stored, file.bytes) : piecesOf(stored)
  const stream = pieceStream(pieces, (error) => {
    permit.dispose()
    if (error !== undefined) {
      log.error('file broke off', { did: site.did, site: site.name, path, error })
    }
  })
  return new Response(stream, { headers })
}

/** RFC 6266: the name in UTF-8. */
const attachmentNamed = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, escaped)}`

/** `encodeURIComponent` leaves these as they are, and RFC 8187 does not allow them. */
const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
