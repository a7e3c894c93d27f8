import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { preferredCoding } from '#site/accept-encoding.ts'
import type { Coding } from '#site/encoding.ts'
import type { Decision } from '#site/resolve.ts'
import { siteUri } from '#site/site-address.ts'
import type { Snapshot, SnapshotFile } from '#site/snapshot.ts'
import { matchesEtag } from './if-none-match.ts'
import { fetchingPage, notFoundPage, plainPage } from './pages.ts'

/** The stored bytes of a file, or null when they are not (or no longer) here. */
export type OpenBlob = (hash: string) => Promise<Blob | null>

/** The file cannot be answered now, because its bytes are missing here. */
export type OnMissing = (snapshot: Snapshot) => void

interface RespondContext {
  readonly openBlob: OpenBlob
  readonly onMissing: OnMissing
}

/** Puts a decision on the wire: headers, conditions and the coding that the visitor takes. */
export async function respond(
  decision: Decision,
  request: Request,
  snapshot: Snapshot,
  context: RespondContext,
): Promise<Response> {
  switch (decision.kind) {
    case 'file':
      return await respondFile(decision.file, request, snapshot, context)
    case 'redirect':
      return new Response(null, {
        status: decision.status,
        headers: {
          ...baseHeaders(snapshot),
          location: decision.location,
          'cache-control': 'public, max-age=0',
        },
      })
    case 'options':
      return new Response(null, { status: 204, headers: { ...corsHeaders, allow: decision.allow } })
    case 'method-not-allowed':
      return plainPage(405, 'Method not allowed', { allow: decision.allow })
    case 'not-found':
      return notFoundPage()
    case 'bad-request':
      return plainPage(400, 'Bad request')
    case 'uri-too-long':
      return plainPage(414, 'Address too long')
  }
}

const revalidate = 'public, max-age=0, must-revalidate'

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': '*',
}

function baseHeaders(snapshot: Snapshot): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'x-sitehost-record': siteUri(snapshot),
    'x-sitehost-version': snapshot.recordCid,
  }
}

async function respondFile(
  file: SnapshotFile,
  request: Request,
  snapshot: Snapshot,
  { openBlob, onMissing }: RespondContext,
): Promise<Response> {
  const codings: Coding[] = file.coding === 'gzip' ? ['gzip', 'identity'] : ['identity']
  const coding = preferredCoding(request.headers.get('accept-encoding'), codings)
  // RFC 9110 §8.8.3.3: representations that differ in coding differ in their strong tag.
  const etag = coding === 'gzip' ? `"${file.cid}-gzip"` : `"${file.cid}"`
  const headers: Record<string, string> = {
    ...baseHeaders(snapshot),
    etag,
    'cache-control': revalidate,
    ...(codings.length > 1 && { vary: 'accept-encoding' }),
  }
  if (matchesEtag(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers })
  }
  headers['content-type'] = file.contentType
  // Means nothing, but without it Bun names downloads after the file in our store (Bun 1.4.5).
  headers['content-disposition'] = 'inline'
  headers['last-modified'] = new Date(snapshot.publishedAt).toUTCString()
  if (coding === 'gzip') headers['content-encoding'] = 'gzip'
  headers['content-length'] = String(coding === 'gzip' ? file.storedBytes : file.bytes)

  // HEAD too: it must not promise what GET would not keep.
  const stored = await openBlob(file.hash)
  if (stored === null) {
    onMissing(snapshot)
    return fetchingPage()
  }
  if (request.method === 'HEAD') return new Response(null, { headers })
  return new Response(coding === file.coding ? stored : await decoded(stored, file), { headers })
}

// Bun sends no Content-Length with a stream, so what is small enough is decoded whole.
async function decoded(stored: Blob, { bytes }: SnapshotFile): Promise<BodyInit> {
  if (bytes > wholeBytesMax) return stored.stream().pipeThrough(new DecompressionStream('gzip'))
  return await gunzip(await stored.bytes())
}

const wholeBytesMax = 1024 * 1024
const gunzip = promisify(zlib.gunzip)
