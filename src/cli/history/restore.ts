import { openSite, type SiteOptions } from '#cli/account/own-sites.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { placeOfWait, waitOf } from '#cli/deploy/wait-place.ts'
import { resultOfWait } from '#cli/deploy/wait-until-visible.ts'
import { explained } from '#cli/explained.ts'
import { findOrigin, instanceFor } from '#cli/instance/instance.ts'
import { restoreVersion } from '#publish/history/restore-version.ts'
import { busySentence } from '#publish/publish-failure.ts'
import { readRepository } from '#publish/repository/read-repository.ts'
import { withPatience } from '#publish/server-patience.ts'
import { findEntry, type HistoryEntry, historyOf } from './site-history.ts'

export interface RestoreOptions extends SiteOptions {
  readonly settings?: true
  readonly wait?: string | true
}

/** Makes a version live again, without sending anything. Throws CommandError. */
export const restore = (
  version: string,
  options: RestoreOptions,
  context: CommandContext,
): Promise<void> => makeLive(version, options, context)

/** Makes a preview the live site. Throws CommandError. */
export const promote = (
  preview: string,
  options: RestoreOptions,
  context: CommandContext,
): Promise<void> =>
  makeLive(preview, options, context, ({ id, state }) => {
    if (state !== 'preview')
      throw new CommandError(`${id} is no preview. "sitehost rollback" makes it live again.`)
  })

async function makeLive(
  wanted: string,
  options: RestoreOptions,
  context: CommandContext,
  check: (entry: HistoryEntry) => void = () => {},
): Promise<void> {
  const { console, now, signal } = context
  const wait = waitOf(options.wait)
  const origin = wait === 'instance' ? await findOrigin(context) : null
  const { address, parts, session } = await openSite(options, context)
  const instanceAt = (origin: string) => instanceFor(session, origin, context)
  const instance = origin === null ? null : instanceAt(origin)
  const place = await placeOfWait(wait, { site: address, instance, instanceAt }, context)
  const outcome = await explained(signal, { doing: 'changing' }, async () => {
    const repository = await withPatience(() => readRepository(parts.repo, address.name), parts)
    const entry = findEntry(historyOf(address.name, repository, now()), wanted)
    check(entry)
    const job = {
      mayKeep: true,
      beginWriting: async () => true,
      rememberExpectedCid: async (cid: string | null) => cid,
      report() {},
    }
    const plan = { key: entry.id, settings: options.settings ?? false }
    return await restoreVersion(address, plan, job, { ...parts, at() {} })
  })
  if (outcome.kind === 'busy') throw new CommandError(busySentence(outcome.retryAt))
  if (outcome.kind !== 'published')
    throw new Error(`a restore in one attempt ended as ${outcome.kind}`)
  const { cid, fileCount, uri, version, versionProblem } = outcome
  if (versionProblem !== null) console.warn(versionProblem)
  const result = { site: address.name, uri, cid, version: version?.key ?? null, files: fileCount }
  if (!options.json)
    console.say(
      `${address.name} is version ${version?.key ?? wanted} now: ${counted(fileCount, 'file')}.`,
    )
  await resultOfWait(place, { address, cid }, context, (url) => {
    if (options.json) console.say(JSON.stringify({ ...result, url }))
    else if (url !== null) console.say(url)
  })
}
