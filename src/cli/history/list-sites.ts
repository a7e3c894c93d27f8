import { openRepo } from '#cli/account/own-sites.ts'
import { columns } from '#cli/columns.ts'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { counted } from '#cli/counted.ts'
import { explained } from '#cli/explained.ts'
import { timeText } from '#cli/time-text.ts'
import { readRepository } from '#publish/repository/read-repository.ts'
import { withPatience } from '#publish/server-patience.ts'
import { ownField } from '#site/record/own-fields.ts'
import { siteUri } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { countFiles } from './count-files.ts'

/** Lists the account's sites by name, as its repository has them. Throws CommandError. */
export async function listSites(options: AccountOptions, context: CommandContext): Promise<void> {
  const { console, signal } = context
  const parts = await openRepo(options, context)
  const repository = await explained(signal, { doing: 'reading' }, () =>
    withPatience(() => readRepository(parts.repo), parts),
  )
  const { sites, versions } = repository
  const { did } = parts.repo
  const counts = await explained(signal, { doing: 'reading' }, () => countFiles(repository, parts))
  const rows = [...sites].flatMap(([rkey, { cid, value }]) => {
    const name = parseSiteName(rkey)
    if (name === null) return []
    const count = [...versions.values()].filter(({ version }) => version?.site === name).length
    const at = ownField(value, 'createdAt')
    return [
      {
        site: name,
        uri: siteUri({ did, name }),
        cid,
        publishedAt: typeof at === 'string' ? at : null,
        files: counts.get(name) ?? null,
        versions: count,
      },
    ]
  })
  rows.sort((a, b) => (a.site < b.site ? -1 : 1))
  if (options.json) {
    console.say(JSON.stringify({ did, sites: rows }))
    return
  }
  const cells = rows.map(({ site, files, publishedAt, versions: kept }) => [
    site,
    publishedAt === null ? 'at an unknown time' : timeText(publishedAt),
    files === null ? '' : counted(files, 'file'),
    counted(kept, 'version'),
  ])
  for (const line of columns(cells, console.width)) console.say(line)
  if (rows.length === 0) {
    console.note('This account has no sites. Publish one: sitehost deploy <folder> --site <name>')
  }
}
