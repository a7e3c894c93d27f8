import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { parseSitePath, type SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { encodeAddress } from '#site/visit/addresses.ts'
import { type Explanation, explain } from '#site/visit/explain.ts'
import { isReservedFile } from '#site/visit/find-file.ts'
import { findDifference, staleProblem } from './judge-page.ts'
import type { VerifiedSite } from './read-verified.ts'
import { placeOf, servableVerified, visitOf } from './servable-verified.ts'
import { loadPage, type ServedPage } from './served-page.ts'

/** How the files of a site are served. */
interface FilesVerdict {
  /** Without those that configure the site, which nobody gets. */
  readonly total: number
  readonly verified: number
  /** A rule with `!` comes before them. */
  readonly notShown: readonly { readonly path: SitePath; readonly line: number }[]
  readonly problems: readonly FileProblem[]
}

interface FileProblem {
  readonly path: SitePath
  readonly url: string
  readonly problem: string
}

interface Problem {
  readonly problem: string
}

type Outcome = 'verified' | { readonly line: number } | Problem

const loadedAtOnce = 8

/** Loads every file of a site at its address of this host, and compares it with what is signed. Throws CommandError. */
export async function verifyFiles(
  { origin }: URL,
  proven: VerifiedSite,
  context: CommandContext,
): Promise<FilesVerdict> {
  const { site } = await servableVerified(proven, context)
  const explainAt = (url: URL): Explanation => explain(site, visitOf(url), placeOf(url, proven))
  const files = [...proven.files].filter(([path]) => !isReservedFile(path))
  const notShown: FilesVerdict['notShown'][number][] = []
  const problems: FileProblem[] = []
  let done = 0
  await mapAtOnce(files, { atOnce: loadedAtOnce, signal: context.signal }, async ([path, node]) => {
    const url = new URL(encodeAddress({ path, isDirectory: false }), origin)
    const outcome = await judgeFile(url, { path, node, proven, explainAt }, context)
    done += 1
    context.console.progress(`Verified ${done} of ${files.length} files: ${path}`)
    if (outcome === 'verified') return
    if ('line' in outcome) notShown.push({ path, line: outcome.line })
    else problems.push({ path, url: url.href, problem: outcome.problem })
  })
  const total = files.length
  return { total, verified: total - notShown.length - problems.length, notShown, problems }
}

interface Judged {
  readonly path: SitePath
  readonly node: FileNode
  readonly proven: VerifiedSite
  readonly explainAt: (url: URL) => Explanation
}

async function judgeFile(
  url: URL,
  { path, node, proven, explainAt }: Judged,
  context: CommandContext,
): Promise<Outcome> {
  const page = await orProblem(loadPage(url, 'same-origin', context), context)
  if (isProblem(page)) return page
  if (page.record !== null && page.record !== proven.uri) {
    return { problem: `it is from ${page.record}` }
  }
  const stale = staleProblem(page, proven)
  if (stale !== null) return { problem: stale }
  const at = page.status < 300 ? await findDifference(page.body, path, node, proven, context) : 0
  if (at === null) return 'verified'
  const explained = explainAt(url)
  if (explained.rule !== null && explained.by === 'forced-rule') {
    const isObeyed = await orProblem(obeys(page, explained, { url, proven }, context), context)
    if (isObeyed === true) return { line: explained.rule.line }
  }
  const isAnswered = page.status < 300
  return { problem: isAnswered ? `it differs at byte ${at}` : `the answer is ${page.status}` }
}

/** Whether a page is what the rule makes of this address. */
async function obeys(
  page: ServedPage,
  { file, location, status }: Explanation,
  { url, proven }: { readonly url: URL; readonly proven: VerifiedSite },
  context: CommandContext,
): Promise<boolean> {
  if (location !== null) {
    const answer = await loadPage(url, 'none', context)
    return URL.parse(answer.location ?? '', url)?.href === URL.parse(location, url)?.href
  }
  const path = file === null ? null : parseSitePath(file)
  const node = path === null ? undefined : proven.files.get(path)
  if (path === null || node === undefined) return page.status === status
  return (await findDifference(page.body, path, node, proven, context)) === null
}

/** One file that does not load is not the end of the others. */
async function orProblem<T>(work: Promise<T>, { signal }: CommandContext): Promise<T | Problem> {
  try {
    return await work
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CommandError) return { problem: error.message.replace(/\.$/, '') }
    throw error
  }
}

const isProblem = (value: object): value is Problem => 'problem' in value
