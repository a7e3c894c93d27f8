import { ownNamespace } from '#site/namespace.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { isSameJson } from '#site/same-json.ts'
import { parseSiteFile } from '#site/upload/site-file.ts'

/** Settings as a person edits them: the known fields as JSON, below a line of comment. */
export function textOf(record: unknown): string {
  const { $type: _, ...fields } = { ...shownOf(record) }
  return `// Lines that begin with // do not count; an empty file changes nothing.\n${JSON.stringify(fields, null, 2)}\n`
}

/** A record that does not parse is shown as it is, so that it can be mended. */
function shownOf(record: unknown): Readonly<Record<string, unknown>> {
  const parsed = parseSettings(record)
  return parsed.ok ? parsed.settings : Object(record)
}

type Edited =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'valid'; readonly settings: SiteSettings }
  /** `line 3, column 5: expected a list`. */
  | { readonly kind: 'mistake'; readonly problem: string }

/** `before`: the record that the text was made of. Never throws. */
export function parseEdited(text: string, before: unknown): Edited {
  // No string of JSON has a line break: such a line is in none.
  const json = text.replace(/^[ \t]*\/\/.*$/gm, '')
  if (json.trim() === '') return { kind: 'unchanged' }
  // By the rules of a sitehost.json, which tell where a mistake is: on the lines that the person sees.
  const parsed = parseSiteFile(`{"settings":${json}\n}`)
  if (!parsed.ok) return { kind: 'mistake', problem: parsed.problem }
  const settings: SiteSettings = { ...parsed.file.settings, $type: ownNamespace.settings }
  const wasSo = isSameJson(settings, { ...shownOf(before), $type: settings.$type })
  return wasSo ? { kind: 'unchanged' } : { kind: 'valid', settings }
}
