import { openSite } from '#cli/account/own-sites.ts'
import { columns } from '#cli/columns.ts'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { counted } from '#cli/counted.ts'
import { explained } from '#cli/explained.ts'
import { dayText, timeText } from '#cli/time-text.ts'
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
  else for (const line of columns(history.map(cellsOf), console.width)) console.say(line)
  if (history.length > 0) return
  const isThere = repository.sites.has(address.name)
  console.note(
    isThere
      ? `${address.name} has no versions: the next deploy begins its history.`
      : `There is no site ${address.name} in this account. See: sitehost sites`,
  )
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

/** `3mkq2vtpdbk2c  preview  2026-11-26 15:26 UTC  3 files  pr-12, until 2026-12-10, the message`. */
function cellsOf({ id, state, version }: HistoryEntry): string[] {
  const { alias, createdAt, expiresAt, fileCount, message, pinned } = version
  const notes = [
    alias,
    expiresAt === undefined ? undefined : `until ${dayText(expiresAt)}`,
    pinned ? 'pinned' : undefined,
    message,
  ]
  return [
    id,
    state,
    createdAt === undefined ? '' : timeText(createdAt),
    fileCount === undefined ? '' : counted(fileCount, 'file'),
    notes.filter((note) => note !== undefined).join(', '),
  ]
}
