import { stat } from 'node:fs/promises'
import { openAccount } from '#cli/account/account.ts'
import { siteOf } from '#cli/account/own-sites.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { UsageError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { hasJobToken } from '#cli/instance/deployer.ts'
import { findOrigin, instanceFor } from '#cli/instance/instance.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { SiteName } from '#site/site-name.ts'
import { type DeployOptions, parseDeployOptions } from './deploy-plan.ts'
import { confirmRemovals, deployStraight, sayDifference } from './deploy-straight.ts'
import { deployVia } from './deploy-via.ts'
import { LocalContents } from './local-contents.ts'
import { readLocalSite } from './local-site.ts'
import type { ReadFolder } from './read-folder.ts'
import { leftOutLines } from './result-lines.ts'
import { siteWarnings } from './site-warnings.ts'
import { placeOfWait } from './wait-place.ts'

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
  const ofSite = plan.into === null ? await siteWarnings(local) : []
  const warnings = [...local.problems, ...ofSite]
  for (const warning of warnings) console.warn(warning)
  for (const line of leftOutLines(local.leftOut, options)) console.note(line)
  const named = plan.site ?? local.site
  if (named === null && !console.isInteractive) throw new UsageError(whichSite)
  const origin = await findOrigin(context, local.instance)
  await using contents = new LocalContents()
  const readFolder = async (site: SiteName): Promise<ReadFolder> => {
    console.progress(`Reading ${counted(local.files.length, 'file')}`)
    const limit = { atOnce: hashedAtOnce, signal }
    const files = await mapAtOnce(local.files, limit, (file) => contents.hash(file))
    const { leftOut, settings } = local
    return { site, files, settings, leftOut, warnings, contents }
  }
  if (plan.via !== null && hasJobToken(context)) {
    const read = await readFolder(named ?? (await askForSite(context)))
    return await deployVia(plan.via, read, plan, options, context)
  }
  // Whoever is not signed in is told so before anything is asked.
  const account = await openAccount(options, context)
  const instanceAt = (origin: string) => instanceFor(account.session, origin, context)
  const instance = origin === null ? null : instanceAt(origin)
  const name = named ?? (await askForSite(context))
  const site = { did: account.identity.did, name }
  const place = await placeOfWait(plan.wait, { site, instance, instanceAt }, context)
  const read = await readFolder(name)
  const deployment = { account, folder: read, instance, place, plan, options }
  if (options.dryRun) return await sayDifference(deployment, context)
  if (console.isInteractive && !options.yes && plan.version.preview === undefined) {
    await confirmRemovals(deployment, context)
  }
  if (plan.via !== null) return await deployVia(plan.via, read, plan, options, context)
  await deployStraight(deployment, context)
}

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
