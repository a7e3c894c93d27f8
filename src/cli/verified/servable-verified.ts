import type { CommandContext } from '#cli/command-context.ts'
import { contentTypeOf } from '#http/media-type.ts'
import { readRuleFiles } from '#ingest/read/read-rule-files.ts'
import type { Coding } from '#site/encoding.ts'
import type { SitePath } from '#site/path.ts'
import { blobKeyOf } from '#site/record/blob-key.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { isVersionLabel } from '#site/version-label.ts'
import type { Place } from '#site/visit/place.ts'
import { type ServableSite, servableSite } from '#site/visit/servable-site.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import { contentOf } from './pull.ts'
import type { VerifiedSite } from './read-verified.ts'
import { browserHeaders } from './served-page.ts'

interface Servable {
  readonly site: ServableSite
  /** Mistakes in its rules, which have no effect. */
  readonly problems: readonly string[]
}

/** A site as every Sitehost serves it, with its rules compiled. Of `sized` alone it has the content's size. Throws CommandError. */
export async function servableVerified(
  verified: VerifiedSite,
  context: CommandContext,
  sized: SitePath | null = null,
): Promise<Servable> {
  const { address, cid, createdAt, settings, uri, version } = verified
  const files = new Map<string, SnapshotFile>()
  const contents = new Map<string, Blob>()
  for (const [path, node] of verified.files) {
    files.set(path, fileOf(path, node))
    if (path !== '_redirects' && path !== '_headers' && path !== sized) continue
    const content = await contentOf(path, node, verified, context)
    const file = { ...fileOf(path, node), bytes: content.byteLength }
    files.set(path, file)
    contents.set(file.hash, new Blob([new Uint8Array(content)]))
  }
  const decoded = new Map([...files].map(([path, file]) => [path, withCoding(file, 'identity')]))
  const { problems, ...rules } = await readRuleFiles(decoded, settings, {
    open: async (hash) => contents.get(hash) ?? null,
  })
  const facts = { recordCid: cid, publishedAt: Date.parse(createdAt), settings }
  const record = { uri, cid, versionKey: version?.key ?? null }
  return { site: servableSite({ ...address, ...facts, ...rules, files }, { record }), problems }
}

function fileOf(path: SitePath, node: FileNode): SnapshotFile {
  const { ref, size } = node.blob
  return {
    cid: ref.$link,
    hash: ref.$link,
    coding: blobKeyOf(node).coding,
    storedBytes: node.base64 ? Math.floor(size * 0.75) : size,
    bytes: size,
    contentType: contentTypeOf(node.mimeType, path),
  }
}

const withCoding = (file: SnapshotFile, coding: Coding): SnapshotFile => ({ ...file, coding })

/** Of a browser that opens this address, with no known language and country. */
export const visitOf = ({ hostname, pathname, search }: URL): VisitorRequest => ({
  method: 'GET',
  pathname,
  search,
  host: hostname,
  header: (name) => browserHeaders[name] ?? null,
  country: null,
})

/** Headers for a whole domain are left out unless `isUnderBaseDomain` is known to be false. */
export function placeOf(
  { hostname: host, pathname }: URL,
  { version }: VerifiedSite,
  isUnderBaseDomain = true,
): Place {
  const label = host.split('.', 1)[0] ?? ''
  const shows = version === null ? 'live' : isVersionLabel(label) ? 'version' : 'preview'
  return { host, pathname, isUnderBaseDomain, shows, canonical: null }
}
