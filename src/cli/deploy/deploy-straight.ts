import { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { SignedInAccount } from '#cli/account/account.ts'
import { fetchStoredBlob } from '#cli/account/fetch-stored-blob.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { explained } from '#cli/explained.ts'
import type { Instance } from '#cli/instance/instance.ts'
import { busySentence } from '#publish/publish-failure.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { removesMost } from '#site/upload/removals.ts'
import { compareWithLive, findRemovals } from './compare-with-live.ts'
import { deployFiles } from './deploy-files.ts'
import type { DeployOptions, DeployPlan } from './deploy-plan.ts'
import { progressLine } from './progress-line.ts'
import type { ReadFolder } from './read-folder.ts'
import { recordLedger } from './record-ledger.ts'
import { differenceLines, resultJson, resultLines } from './result-lines.ts'
import { sayAddresses } from './say-addresses.ts'
import { resultOfWait } from './wait-until-visible.ts'

/** A deploy at the account's server. */
export interface Deployment {
  readonly account: SignedInAccount
  readonly folder: ReadFolder
  readonly plan: DeployPlan
  readonly options: Pick<DeployOptions, 'json'>
  /** The Sitehost that is known; null: none. */
  readonly instance: Instance | null
  /** Where visitors are waited for; null: nowhere. */
  readonly place: URL | Instance | null
}

/** Publishes, and says what it did. Throws CommandError. */
export async function deployStraight(
  deployment: Deployment,
  context: CommandContext,
): Promise<void> {
  const { folder, instance, options, place, plan } = deployment
  const { console, limits, signal } = context
  const { address, ledger, parts } = repositoryOf(deployment, context)
  const content = {
    files: folder.files,
    changes: plan.into === null ? null : { version: null, remove: [], into: plan.into },
    settings: folder.settings && ({ kind: 'fields', settings: folder.settings } as const),
  }
  const work = () =>
    deployFiles(address, content, plan.version, {
      ...parts,
      ledger,
      ...(limits.siteFilesMax !== undefined && { filesMax: limits.siteFilesMax }),
      onProgress: (progress) => console.progress(progressLine(progress)),
    })
  const outcome = await explained(signal, { doing: 'publishing' }, work).finally(() => {
    if (signal.aborted) console.note(afterInterruption)
  })
  if (outcome.kind === 'busy') throw new CommandError(busySentence(outcome.retryAt))
  if (outcome.versionProblem !== null) console.warn(outcome.versionProblem)
  if (!options.json) for (const line of resultLines(address, outcome)) console.say(line)
  await resultOfWait(place, { address, cid: outcome.cid }, context, (url) => {
    if (options.json) console.say(resultJson(address, outcome, url, folder))
    else if (url !== null) console.say(url)
  })
  if (place === null && !options.json) {
    await sayAddresses(address, { preview: plan.version.preview, ...outcome }, instance, context)
  }
}

const afterInterruption =
  'What was sent so far stays in your account for a while; the site is as it was, or published as a whole. Run the same command again.'

/** Says what `deployStraight` would change. Throws CommandError. */
export async function sayDifference(
  deployment: Deployment,
  context: CommandContext,
): Promise<void> {
  const { folder, options, plan } = deployment
  const { console, signal } = context
  const { address, ledger, parts } = repositoryOf(deployment, context)
  const compared = { files: folder.files, into: plan.into }
  const difference = await explained(signal, { doing: 'reading' }, () =>
    compareWithLive(address, compared, ledger, parts),
  )
  const { leftOut, site, warnings } = folder
  if (options.json) {
    console.say(JSON.stringify({ site, dryRun: true, ...difference, leftOut, warnings }))
  } else for (const line of differenceLines(site, difference)) console.say(line)
}

/** A person who names the wrong folder loses most of the site: that is asked before. Throws CommandError. */
export async function confirmRemovals(
  deployment: Deployment,
  context: CommandContext,
): Promise<void> {
  const { folder, plan } = deployment
  const { console, signal } = context
  const { address, parts } = repositoryOf(deployment, context)
  const compared = { files: folder.files, into: plan.into }
  const { present, removed } = await explained(signal, { doing: 'publishing' }, () =>
    findRemovals(address, compared, parts),
  )
  if (!removesMost(removed.length, present)) return
  const question = `This removes ${removed.length} of the ${counted(present, 'file')} of ${folder.site}. Publish? [y/N] `
  const answer = await console.ask(question, signal)
  if (!/^y(es)?$/i.test(answer)) throw new CommandError('Nothing was published.')
}

function repositoryOf({ account, folder, plan }: Deployment, context: CommandContext) {
  const { identity, session } = account
  const { now, signal } = context
  const address: SiteAddress = { did: identity.did, name: folder.site }
  const repo = new AccountRepo(identity.did, async () => session, { signal })
  const parts = { repo, folder: folder.contents, now, signal }
  const fetchBlob = (cid: string, bytesMax: number) =>
    fetchStoredBlob(identity, cid, bytesMax, context)
  return { address, parts, ledger: recordLedger(address, { ...parts, into: plan.into, fetchBlob }) }
}
