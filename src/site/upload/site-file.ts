import { type AnyNode, evaluate, parse } from '@humanwhocodes/momoa'
import { z } from 'zod'
import { siteFileBytesMax } from '#site/limits.ts'
import { expectation } from '#site/record/expectation.ts'
import { parseSettings, type SiteSettings, settingsFields } from '#site/record/settings.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { exceedsUtf8Bytes } from '#site/utf8.ts'
import { parseIgnoreRules } from './ignore-rules.ts'

/** A parsed `sitehost.json`. */
export interface SiteFile {
  /** For tools that are not told another one; null: it names none. */
  readonly site: SiteName | null
  /** The Sitehost that tools ask if they are not told another one; null: it names none. */
  readonly instance: string | null
  /** The fields to set; null: none. */
  readonly settings: SiteSettings | null
  /** Lines of further ignore rules. */
  readonly ignore: readonly string[]
}

export type SiteFileResult =
  | { readonly ok: true; readonly file: SiteFile }
  /** For the author: `line 3, column 5: expected a list`. */
  | { readonly ok: false; readonly problem: string }

const fields = z.strictObject({
  $schema: z.string().exactOptional(),
  site: z
    .string()
    .refine((name) => parseSiteName(name) !== null, 'expected the name of a site')
    .exactOptional(),
  instance: z
    .string()
    .refine(
      (url) => /^https?:\/\//.test(url) && URL.canParse(url),
      'expected the address of a Sitehost',
    )
    .exactOptional(),
  settings: settingsFields.strict().exactOptional(),
  ignore: z
    .array(
      z.string().refine((line) => !/[\r\n]/.test(line), 'expected one rule, without a line break'),
    )
    .exactOptional(),
})

/** Parses a `sitehost.json`; the first mistake is the problem. Never throws. */
export function parseSiteFile(text: string): SiteFileResult {
  if (exceedsUtf8Bytes(text, siteFileBytesMax)) {
    return refuse({ line: 1, column: 1 }, `the file is larger than ${siteFileBytesMax} bytes`)
  }
  const root = readJson(text.replace(/^\uFEFF/, ''))
  if (!root.ok) return root
  const { node } = root
  const value: unknown = evaluate(node)
  const parsed = fields.safeParse(value, { error: expectation })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
    const path = [...(issue?.path ?? []), ...unknown]
    const [field] = unknown
    const message = field === undefined ? issue?.message : `there is no field ${quoted(field)}`
    return refuse(placeOf(node, path), `${nameOf(path)}${message}`)
  }
  const { instance = null, site, settings, ignore = [] } = parsed.data
  const isUnset = Object.keys(settings ?? {}).length === 0
  const checked = isUnset ? null : parseSettings(settings)
  if (checked?.ok === false) return refuse(placeOf(node, ['settings']), checked.error)
  const [rule] = parseIgnoreRules(ignore.join('\n')).problems
  if (rule !== undefined) {
    return refuse(placeOf(node, ['ignore', rule.line - 1]), `ignore: ${rule.message}`)
  }
  const name = site === undefined ? null : parseSiteName(site)
  return { ok: true, file: { instance, site: name, settings: checked?.settings ?? null, ignore } }
}

interface Place {
  readonly line: number
  readonly column: number
}

const refuse = ({ line, column }: Place, message: string): { ok: false; problem: string } => ({
  ok: false,
  problem: `line ${line}, column ${column}: ${message}`,
})

const quoted = (name: string): string => JSON.stringify(name.slice(0, 100))

const nameOf = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? '' : `${path.map((key) => String(key).slice(0, 100)).join('.')}: `

type Read =
  | { readonly ok: true; readonly node: AnyNode }
  | { readonly ok: false; readonly problem: string }

function readJson(text: string): Read {
  try {
    return { ok: true, node: parse(text, { mode: 'json' }).body }
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) return refuse({ line: 1, column: 1 }, 'nested too deep')
    return refuse(placeOfError(error), 'expected JSON')
  }
}

function placeOfError(error: unknown): Place {
  const { line, column } = error as Partial<Place>
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : start
}

const start: Place = { line: 1, column: 1 }

/** Of the value at this path, or of what there is of the path. */
function placeOf(root: AnyNode, path: readonly PropertyKey[]): Place {
  let node = root
  for (const key of path) {
    const next = childOf(node, key)
    if (next === null) break
    node = next
  }
  return node.loc.start
}

function childOf(node: AnyNode, key: PropertyKey): AnyNode | null {
  if (node.type === 'Array') return node.elements[Number(key)]?.value ?? null
  if (node.type !== 'Object') return null
  const isNamed = (name: AnyNode): boolean =>
    (name.type === 'String' && name.value === key) ||
    (name.type === 'Identifier' && name.name === key)
  return node.members.findLast(({ name }) => isNamed(name))?.value ?? null
}
