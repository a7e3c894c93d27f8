import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { judgePage } from './judge-page.ts'
import { OtherRecordError, readProvenRecord } from './proven-record.ts'
import type { VerifiedSite } from './read-verified.ts'
import { readLiveCid } from './read-verified.ts'
import { loadPage, parseAddress, type ServedPage } from './served-page.ts'
import { verifyFiles } from './verify-files.ts'

export interface VerifyOptions {
  readonly site?: string
  readonly all?: true
  readonly json?: true
}

/**
 * Proves that a page, or all files of a site, served by any host, are what the site's owner signed: repository signature,
 * records, and content. Throws CommandError if they are not.
 */
export async function verify(
  address: string,
  options: VerifyOptions,
  context: CommandContext,
): Promise<void> {
  const page = await loadPage(parseAddress(address), 'all', context)
  const proven = await readProvenRecord(page, options.site, context).catch((cause) => {
    if (!(cause instanceof OtherRecordError)) throw cause
    throw new CommandError(`Not verified: ${cause.message}`, { cause })
  })
  await (options.all ? sayFiles : sayPage)(page, proven, options, context)
}

async function sayPage(
  page: ServedPage,
  proven: VerifiedSite,
  { json }: VerifyOptions,
  context: CommandContext,
): Promise<void> {
  const { console } = context
  const verdict = await judgePage(page, proven, context)
  const state = await stateOf(proven, context)
  const facts = { url: page.url.href, ...factsOf(proven), ...state.facts }
  if (json) console.say(JSON.stringify({ ...facts, problem: null, ...verdict }))
  if (!verdict.verified) throw new CommandError(`Not verified: ${verdict.problem}.`)
  if (json) return
  console.say(`${state.opening}: ${verdict.path} of ${state.named}`)
  console.say(await signatureLine(proven, context))
}

async function sayFiles(
  page: ServedPage,
  proven: VerifiedSite,
  { json }: VerifyOptions,
  context: CommandContext,
): Promise<void> {
  const { console } = context
  const { notShown, problems, total, verified } = await verifyFiles(page.url, proven, context)
  const state = await stateOf(proven, context)
  if (json) {
    const files = { total, verified, notShown, problems }
    const facts = { url: page.url.href, ...factsOf(proven), ...state.facts }
    console.say(JSON.stringify({ ...facts, verified: problems.length === 0, files }))
  } else {
    for (const { path, line } of notShown)
      console.note(`not shown: ${path}, because line ${line} of _redirects comes first`)
  }
  if (problems.length > 0) {
    throw new CommandError([
      ...problems.map(({ path, problem }) => `Not verified: ${path}: ${problem}.`),
      `${problems.length} of ${counted(total, 'file')} ${problems.length === 1 ? 'is not as its owner signed it' : 'are not as their owner signed them'}.`,
    ])
  }
  if (json) return
  console.say(`${state.opening}: ${verified} of ${total} files of ${state.named}`)
  console.say(await signatureLine(proven, context))
}

const factsOf = ({ address, cid, uri, version }: VerifiedSite) => ({
  did: address.did,
  site: address.name,
  uri,
  cid,
  version: version?.key ?? null,
})

/** Whether it is what visitors of the site get now. */
async function stateOf(proven: VerifiedSite, context: CommandContext) {
  const { address, uri, version } = proven
  if (version === null) return { facts: { live: true }, opening: 'Verified', named: uri }
  const { alias, expiresAt, key, manifest } = version
  const isLive = manifest !== undefined && manifest === (await readLiveCid(address, context))
  const called = alias === undefined ? 'a preview' : `the preview ${alias}`
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= context.now()
  const kind = manifest === undefined ? called + (isOver ? ', which has ended' : '') : null
  return {
    facts: { live: isLive },
    opening: isLive ? 'Verified' : 'Verified, but not live',
    named: `${uri}, ${kind ?? (isLive ? 'the live version' : `an earlier version`)} of ${address.name} (${key})`,
  }
}

async function signatureLine(
  { address, cid, identity }: VerifiedSite,
  { identities, signal }: CommandContext,
): Promise<string> {
  const handle = await identities.verifiedHandle(identity, signal)
  return `signed by ${handle ?? 'an account without a verified handle'} (${address.did}), record ${cid}`
}
