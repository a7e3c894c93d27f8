import { openSite, type SiteOptions } from '#cli/account/own-sites.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { explained } from '#cli/explained.ts'
import { timeText } from '#cli/time-text.ts'
import { forgetVersion } from '#publish/history/forget-version.ts'
import { readRepository } from '#publish/repository/read-repository.ts'
import { withPatience } from '#publish/server-patience.ts'
import { findEntry, historyOf } from './site-history.ts'

export interface ForgetOptions extends SiteOptions {
  readonly yes?: true
}

/** Deletes a version record and what only it names. Cannot be undone. Throws CommandError. */
export async function forget(
  wanted: string,
  options: ForgetOptions,
  context: CommandContext,
): Promise<void> {
  const { console, now, signal } = context
  const { address, parts } = await openSite(options, context)
  const repository = await explained(signal, { doing: 'reading' }, () =>
    withPatience(() => readRepository(parts.repo, address.name), parts),
  )
  const { id, version } = findEntry(historyOf(address.name, repository, now()), wanted)
  if (console.isInteractive && !options.yes) {
    const at = version.createdAt && timeText(version.createdAt)
    const what = [id, at, version.message].filter(Boolean).join(', ')
    const answer = await console.ask(`Forget version ${what}, for ever? [y/N] `, signal)
    if (!/^y(es)?$/i.test(answer)) throw new CommandError('Nothing was forgotten.')
  }
  const outcome = await explained(signal, { doing: 'changing' }, () =>
    forgetVersion(address, id, parts),
  )
  if (outcome.kind === 'live') {
    throw new CommandError(`${id} is live. Make another version live first; nothing was forgotten.`)
  }
  if (options.json) {
    console.say(JSON.stringify({ site: address.name, version: id, records: outcome.records }))
    return
  }
  for (const uri of outcome.records) console.say(uri)
  console.note('Deleted. Your account’s server drops the files that only these records named.')
}
