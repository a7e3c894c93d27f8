import { createHash } from 'node:crypto'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { parseSitePath, type SitePath } from '#site/path.ts'
import { blobKeyOf } from '#site/record/blob-key.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { conventionsOf } from '#site/visit/conventions.ts'
import { type Decision, resolve } from '#site/visit/resolve.ts'
import { contentOf } from './pull.ts'
import type { VerifiedSite } from './read-verified.ts'
import { servableVerified, visitOf } from './servable-verified.ts'
import type { ServedPage } from './served-page.ts'

export type Verdict =
  | { readonly verified: true; readonly path: SitePath }
  | { readonly verified: false; readonly path: SitePath | null; readonly problem: string }

/** Whether a page is what the site has at its address, by its files, rules and settings. Throws CommandError. */
export async function judgePage(
  page: ServedPage,
  proven: VerifiedSite,
  context: CommandContext,
): Promise<Verdict> {
  const refused = (problem: string, path: SitePath | null = null): Verdict => {
    return { verified: false, path, problem }
  }
  const stale = staleProblem(page, proven)
  if (stale !== null) return refused(stale)
  const { site } = await servableVerified(proven, context)
  const decision = resolve(site, visitOf(page.url))
  const shown = decision.kind === 'file' ? parseSitePath(decision.path) : null
  if (decision.kind === 'file' && decision.status === 200 && page.status >= 400) {
    return refused(
      `${page.url.host} answers ${page.status}, but the site has ${shown} there`,
      shown,
    )
  }
  let differs: Verdict | null = null
  for (const path of new Set([...(shown ? [shown] : []), ...likelyFiles(page, proven)])) {
    const node = proven.files.get(path)
    if (node === undefined) continue
    const at = await findDifference(page.body, path, node, proven, context)
    if (at === null) return { verified: true, path }
    differs ??= refused(`it differs from ${path} of the site at byte ${at}`, path)
  }
  return differs ?? refused(missingProblems[decision.kind])
}

const missing = 'the site has no file for this address'

/** Of an address without a file. */
const missingProblems: Readonly<Record<Decision['kind'], string>> = {
  file: missing,
  missing,
  listing: 'this is a list of files, which the host has made: nobody has signed it',
  redirect: 'the site redirects this address, but the host does not',
  options: missing,
  'method-not-allowed': missing,
  'bad-request': missing,
  'uri-too-long': missing,
}

/** A host that says which record it shows, and shows another one than the repository has; null: it does not. */
export function staleProblem({ cid, url }: ServedPage, proven: VerifiedSite): string | null {
  if (cid === null || cid === proven.cid) return null
  return `${url.host} shows the version ${cid}, but the repository has ${proven.cid}`
}

/** Where the bytes differ from the file's content; null: they are it. Throws CommandError. */
export async function findDifference(
  body: Uint8Array,
  path: SitePath,
  node: FileNode,
  proven: VerifiedSite,
  context: CommandContext,
): Promise<number | null> {
  const { base64, cid, coding } = blobKeyOf(node)
  // Their hash proves them: the account's server need not send them.
  const isPlain = coding === 'identity' && !base64
  if (isPlain && rawCid(createHash('sha256').update(body).digest()) === cid) return null
  return firstDifference(body, await contentOf(path, node, proven, context))
}

/** Null: they are equal. */
function firstDifference(a: Uint8Array, b: Uint8Array): number | null {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at
  return a.length === b.length ? null : length
}

/** The files that a host which knows neither rules nor settings may answer this address with, the likeliest first. */
function likelyFiles({ status, url }: ServedPage, { address, settings }: VerifiedSite): SitePath[] {
  const { notFoundPages, ...conventions } = conventionsOf(address.name)
  const { indexFiles = conventions.indexFiles, custom404, spaMode } = settings ?? {}
  let path: string
  try {
    path = decodeURIComponent(url.pathname).slice(1)
  } catch {
    return []
  }
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`
  const own = [path, `${path}.html`, ...indexFiles.map((name) => folder + name)]
  const others = [spaMode, ...(status === 404 ? [custom404, ...notFoundPages] : [])]
  return [...own, ...others].flatMap((each) => parseSitePath(each ?? '') ?? [])
}
