import { stat } from 'node:fs/promises'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { openAccount } from '#cli/account/account.ts'
import { fetchStoredBlob } from '#cli/account/fetch-stored-blob.ts'
import { siteOf } from '#cli/account/own-sites.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { explained } from '#cli/explained.ts'
import { hasJobToken } from '#cli/instance/deployer.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { busySentence } from '#publish/publish-failure.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { compareWithLive, findRemovals, type Removals } from './compare-with-live.ts'
import { deployFiles } from './deploy-files.ts'
import { type DeployOptions, parseDeployOptions } from './deploy-plan.ts'
import { deployVia } from './deploy-via.ts'
import { LocalContents } from './local-contents.ts'
import { readLocalSite } from './local-site.ts'
import { progressLine } from './progress-line.ts'
import { recordLedger } from './record-ledger.ts'
import { differenceLines, leftOutLines, resultJson, resultLines } from './result-lines.ts'
import { resultOfWait } from './wait-until-visible.ts'

const hashedAtOnce = 8

/** Publishes a folder at its owner's server, and says what it did. Throws CommandError and FolderError. */
export async function deploy(
  folder: string,
  options: DeployOptions,
  context: CommandContext,
): Promise<void> {
  const { console, limits, now, signal } = context
  const plan = parseDeployOptions(options, now())
  await refuseFolderAsAlias(folder, options)
  const local = await readLocalSite(folder, limits, options)
  for (const problem of local.problems) console.warn(problem)
  for (const line of leftOutLines(local.leftOut, options)) console.note(line)
  const named = plan.site ?? local.site
  if (named === null && !console.isInteractive) throw new UsageError(whichSite)
  await using folderContents = new LocalContents()
  const readFiles = async () => {
    console.progress(`Reading ${counted(local.files.length, 'file')}`)
    const limit = { atOnce: hashedAtOnce, signal }
    return await mapAtOnce(local.files, limit, (file) => folderContents.hash(file))
  }
  const byInstance = async (origin: string, name: SiteName, files: Files) => {
    const { leftOut, settings } = local
    const content = { site: name, files, leftOut, settings }
    await deployVia(origin, content, folderContents, plan, options, context)
  }
  if (plan.via !== null && hasJobToken(context)) {
    return await byInstance(plan.via, named ?? (await askForSite(context)), await readFiles())
  }
  // Whoever is not signed in is told so before anything is asked.
  const { identity, session } = await openAccount(options, context)
  const name = named ?? (await askForSite(context))
  const address: SiteAddress = { did: identity.did, name }
  const files = await readFiles()
  const repo = new AccountRepo(identity.did, async () => session, { signal })
  const fetchBlob = (cid: string, bytesMax: number) =>
    fetchStoredBlob(identity, cid, bytesMax, context)
  const parts = { repo, folder: folderContents, now, signal }
  const ledger = recordLedger(address, { ...parts, into: plan.into, fetchBlob })
  if (options.dryRun) {
    const compared = { files, into: plan.into }
    const difference = await explained(signal, { doing: 'reading' }, () =>
      compareWithLive(address, compared, ledger, parts),
    )
    const { leftOut } = local
    if (options.json)
      console.say(JSON.stringify({ site: name, dryRun: true, ...difference, leftOut }))
    else for (const line of differenceLines(name, difference)) console.say(line)
    return
  }
  if (console.isInteractive && !options.yes && plan.version.preview === undefined) {
    const removals = () => findRemovals(address, { files, into: plan.into }, parts)
    await confirmRemovals(name, await explained(signal, { doing: 'publishing' }, removals), context)
  }
  if (plan.via !== null) return await byInstance(plan.via, name, files)
  const content = {
    files,
    changes: plan.into === null ? null : { version: null, remove: [], into: plan.into },
    settings: local.settings && ({ kind: 'fields', settings: local.settings } as const),
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
  const lines = resultLines(address, outcome)
  if (!options.json) for (const line of lines) console.say(line)
  await resultOfWait(plan.wait, { address, cid: outcome.cid }, context, (url) => {
    if (options.json) console.say(resultJson(address, outcome, url, local.leftOut))
    else if (url !== null) console.say(url)
  })
}

type Files = readonly UploadedFile[]

const afterInterruption =
  'What was sent so far stays in your account for a while; the site is as it was, or published as a whole. Run the same command again.'

/** `deploy --preview dist` has no folder, only an alias: it would publish everything here. */
async function refuseFolderAsAlias(folder: string, { preview }: DeployOptions): Promise<void> {
  if (folder !== '.' || typeof preview !== 'string') return
  const facts = await stat(preview).catch(() => null)
  if (!facts?.isDirectory()) return
  throw new UsageError(
    `${preview} is a folder, and what follows --preview is an alias. A preview of ${preview}: sitehost deploy ${preview} --preview. One of this folder: sitehost deploy ./ --preview=${preview}`,
  )
}

async function askForSite({ console, signal }: CommandContext): Promise<SiteName> {
  const name = siteOf(await console.ask('Name of the site, such as blog: ', signal))
  if (name === null) throw new UsageError(whichSite)
  return name
}

const whichSite = 'Which site? Name it with --site, or as "site" in the folder’s sitehost.json.'

/** A person who names the wrong folder loses most of the site: that is asked before. */
async function confirmRemovals(
  name: SiteName,
  { present, removed }: Removals,
  { console, signal }: CommandContext,
): Promise<void> {
  if (removed.length * 2 <= present) return
  const question = `This removes ${removed.length} of the ${counted(present, 'file')} of ${name}. Publish? [y/N] `
  const answer = await console.ask(question, signal)
  if (!/^y(es)?$/i.test(answer)) throw new CommandError('Nothing was published.')
}
