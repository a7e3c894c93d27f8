import { openSite } from '#cli/account/own-sites.ts'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { counted } from '#cli/counted.ts'
import { explained } from '#cli/explained.ts'
import { readRepository } from '#publish/repository/read-repository.ts'
import { withPatience } from '#publish/server-patience.ts'
import { type HistoryEntry, historyOf } from './site-history.ts'

/** Lists a site's versions and previews, newest first. Throws CommandError. */
export async function listVersions(
  site: string | undefined,
  options: AccountOptions,
  context: CommandContext,
): Promise<void> {
  const { console, now, signal } = context
  const { address, parts } = await openSite({ ...options, ...(site && { site }) }, context)
  const { repo } = parts
  const repository = await explained(signal, { doing: 'reading' }, () =>
    withPatience(() => readRepository(repo, address.name), parts),
  )
  const history = historyOf(address.name, repository, now())
  if (options.json)
    console.say(JSON.stringify({ site: address.name, versions: history.map(rowOf) }))
  else for (const entry of history) console.say(lineOf(entry))
  if (history.length === 0) console.note(`${address.name} has no versions.`)
}

const rowOf = ({ id, state, version }: HistoryEntry) => ({
  id,
  state,
  createdAt: version.createdAt ?? null,
  files: version.fileCount ?? null,
  bytes: version.bytes ?? null,
  message: version.message ?? null,
  alias: version.alias ?? null,
  expiresAt: version.expiresAt ?? null,
  pinned: version.pinned ?? false,
})

function lineOf({ id, state, version }: HistoryEntry): string {
  const { alias, createdAt, fileCount, message, pinned } = version
  const facts = [
    state,
    createdAt,
    fileCount === undefined ? undefined : counted(fileCount, 'file'),
    alias,
    pinned ? 'pinned' : undefined,
    message,
  ]
  return [id, ...facts.filter((fact) => fact !== undefined)].join('  ')
}
