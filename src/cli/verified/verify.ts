import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import { parseSitePath, type SitePath } from '#site/path.ts'
import { defaultSettings, type SiteSettings } from '#site/record/settings.ts'
import { parseDid, type SiteAddress, siteUri } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import { findNamedSite } from './named-site.ts'
import { contentOf } from './pull.ts'
import { readVerified } from './read-verified.ts'

export interface VerifyOptions {
  readonly site?: string
  readonly json?: true
}

/** What a host sent, and what it says that is. */
interface Served {
  readonly url: URL
  readonly status: number
  readonly body: Uint8Array
  /** `X-Sitehost-Record` and `X-Sitehost-Version`. */
  readonly record: string | null
  readonly cid: string | null
}

type Verdict =
  | { readonly verified: true; readonly path: SitePath }
  | { readonly verified: false; readonly path: SitePath | null; readonly problem: string }

/**
 * Proves that a page, served by any host, is what the site's owner signed: repository signature, records, and content. Throws
 * CommandError if it is not.
 */
export async function verify(
  address: string,
  options: VerifyOptions,
  context: CommandContext,
): Promise<void> {
  const { console } = context
  const served = await load(address, context)
  const { site, version } = await recordOf(served, options, context)
  const proven = await readVerified(site, version, context)
  const { cid, files, identity, settings, uri } = proven
  const judge = async (): Promise<Verdict> => {
    if (served.cid !== null && served.cid !== cid) {
      return {
        verified: false,
        path: null,
        problem: `${served.url.host} shows the version ${served.cid}, but the repository has ${cid}`,
      }
    }
    const candidates = candidatesOf(served, settings).filter((path) => files.has(path))
    let differs: Verdict | null = null
    for (const path of candidates) {
      const node = files.get(path)
      if (node === undefined) continue
      const at = firstDifference(served.body, await contentOf(path, node, proven, context))
      if (at === null) return { verified: true, path }
      differs ??= {
        verified: false,
        path,
        problem: `it differs from ${path} of the site at byte ${at}`,
      }
    }
    return (
      differs ?? { verified: false, path: null, problem: 'the site has no file for this address' }
    )
  }
  const verdict = await judge()
  if (options.json) {
    console.say(
      JSON.stringify({
        url: served.url.href,
        did: site.did,
        site: site.name,
        uri,
        cid,
        ...verdict,
      }),
    )
  }
  if (!verdict.verified) throw new CommandError(`Not verified: ${verdict.problem}.`)
  if (options.json) return
  console.say(`Verified: ${verdict.path} of ${uri}`)
  const handle = await context.identities.verifiedHandle(identity, context.signal)
  console.say(
    `signed by ${handle ?? 'an account without a verified handle'} (${site.did}), record ${cid}`,
  )
}

async function load(address: string, { fetch, limits, signal }: CommandContext): Promise<Served> {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('Expected an address that begins with https:// or http://.')
  }
  try {
    const init = { signal, limits: { responseBytesMax: limits.fileBytesMax } }
    const response = await fetch(url, init)
    return {
      url,
      status: response.status,
      body: new Uint8Array(await response.arrayBuffer()),
      record: response.headers.get('x-sitehost-record'),
      cid: response.headers.get('x-sitehost-version'),
    }
  } catch (cause) {
    signal.throwIfAborted()
    throw new CommandError(`${url.host} did not answer.`, { cause })
  }
}

interface NamedRecord {
  readonly site: SiteAddress
  /** Null: the live site. */
  readonly version: VersionKey | null
}

async function recordOf(
  { record, url }: Served,
  options: VerifyOptions,
  context: CommandContext,
): Promise<NamedRecord> {
  const wanted = options.site === undefined ? null : await findNamedSite(options.site, {}, context)
  const [, owner = '', kind, rkey = ''] =
    record?.match(/^at:\/\/([^/]+)\/place\.sitehost\.(fs|version)\/([^/]+)$/) ?? []
  const [did, name, version] = [parseDid(owner), parseSiteName(rkey), parseVersionKey(rkey)]
  if (kind === 'version' && did !== null && version !== null) {
    if (wanted?.did === did) return { site: wanted, version }
    throw new UsageError(`${url.host} shows a version: name its site with --site ${did}/<name>.`)
  }
  if (did === null || name === null) {
    if (wanted !== null) return { site: wanted, version: null }
    throw new CommandError(
      `Not verified: ${url.host} does not say whose record this is. Name the site with --site <handle>/<name>.`,
    )
  }
  const site = { did, name }
  if (wanted !== null && siteUri(wanted) !== siteUri(site)) {
    throw new CommandError(
      `Not verified: ${url.host} shows ${siteUri(site)}, not ${siteUri(wanted)}.`,
    )
  }
  return { site, version: null }
}

/** The files that a host may answer this address with, the likeliest first. */
function candidatesOf({ status, url }: Served, settings: SiteSettings | null): SitePath[] {
  const { indexFiles = defaultSettings.indexFiles, custom404, spaMode } = settings ?? {}
  let path: string
  try {
    path = decodeURIComponent(url.pathname).slice(1)
  } catch {
    return []
  }
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`
  const own = [path, `${path}.html`, ...indexFiles.map((name) => folder + name)]
  const others = [spaMode, ...(status === 404 ? [custom404, '404.html'] : [])]
  return [...own, ...others].flatMap((each) => parseSitePath(each ?? '') ?? [])
}

/** Null: they are equal. */
function firstDifference(a: Uint8Array, b: Uint8Array): number | null {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at
  return a.length === b.length ? null : length
}
