import type { SiteSettings } from '#site/record/settings.ts'
import { readSettingPath } from './block-address.ts'
import { type HeaderBlock, setHeader } from './header-block.ts'
import { SearchBudget } from './search-budget.ts'

/** One of the headers in a site's settings. */
export type HeaderSetting = NonNullable<SiteSettings['headers']>[number]

/** The first path that is not used, as `headers.2.path: reason`; null when there is none. */
export function findUnusablePath(own: readonly HeaderSetting[]): string | null {
  const budget = new SearchBudget()
  for (const [index, { path }] of own.entries()) {
    const address = readSettingPath(path ?? '/*')
    const problem = address.ok ? budget.spend(address.searches) : address.problem
    if (problem !== null) return `headers.${index}.path: ${problem}`
  }
  return null
}

/** What the headers of a site's settings say, each for itself. Never throws. */
export function readHeaderSettings(
  own: readonly HeaderSetting[],
  budget: SearchBudget,
): {
  readonly blocks: readonly HeaderBlock[]
  /** Each begins with the field's place, such as `headers.2.path: `. */
  readonly problems: readonly string[]
} {
  const blocks: HeaderBlock[] = []
  const problems: string[] = []
  for (const [index, { name, value, path }] of own.entries()) {
    const place = `headers.${index}`
    const address = readSettingPath(path ?? '/*')
    if (address.problem !== null) problems.push(`${place}.path: ${address.problem}`)
    if (!address.ok) continue
    const unaffordable = budget.spend(address.searches)
    if (unaffordable !== null) {
      problems.push(`${place}.path: ${unaffordable}`)
      continue
    }
    const { host, pattern, match, names } = address
    const read = setHeader(name, value, names)
    if (read.ok) blocks.push({ host, pattern, match, changes: [read.change] })
    if (read.problem !== null) problems.push(`${place}.${read.at}: ${read.problem}`)
  }
  return { blocks, problems }
}
