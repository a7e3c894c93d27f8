import { problemsMax } from '#site/limits.ts'
import { ownField, ownFields } from './own-fields.ts'
import { parseSettings, type SiteSettings } from './settings.ts'

interface ForeignSettings {
  /** Null: the record cannot be used. */
  readonly settings: SiteSettings | null
  readonly problems: readonly string[]
}

/**
 * Parses untrusted settings of another network into ours. A header or index file that ours do not permit is left out: its
 * owner has no editor here that would have refused it. Never throws.
 */
export function parseForeignSettings(input: unknown): ForeignSettings {
  const headers = fittingOf(input, 'headers', withoutEmptyPath)
  const indexFiles = fittingOf(input, 'indexFiles', (name) => name)
  const problems = [...indexFiles.problems, ...headers.problems].slice(0, problemsMax)
  const parsed = parseSettings({
    ...ownFields(input, ['cleanUrls', 'directoryListing', 'spaMode', 'custom404']),
    ...(headers.items.length > 0 && { headers: headers.items }),
    ...(indexFiles.items.length > 0 && { indexFiles: indexFiles.items }),
  })
  return parsed.ok
    ? { settings: parsed.settings, problems }
    : { settings: null, problems: [`the settings are not used: ${parsed.error}`] }
}

/** The lexicon's limit for headers; index files have a lower one. */
const itemsMax = 50

function fittingOf(input: unknown, field: string, read: (item: unknown) => unknown) {
  const list = ownField(input, field)
  const items: unknown[] = []
  const problems: string[] = []
  for (const item of Array.isArray(list) ? list.slice(0, itemsMax).map(read) : []) {
    const parsed = parseSettings({ [field]: [...items, item] })
    if (parsed.ok) items.push(item)
    else problems.push(`the settings, ${parsed.error}: it is left out`)
  }
  return { items, problems }
}

/** Empty, the path of a header there is that of every file. */
function withoutEmptyPath(header: unknown): unknown {
  const { path, ...fields } = ownFields(header, ['name', 'value', 'path'])
  return path === undefined || path === '' ? fields : { ...fields, path }
}
