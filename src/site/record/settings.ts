import { z } from 'zod'
import { describeRefusedField, isFieldName, isFieldValue } from '#http/header-fields.ts'
import type { PlaceSitehostSettings } from '#lexicons/index.ts'
import { headerNameCharsMax, versionRecordsMax } from '#site/limits.ts'
import { ownNamespace } from '#site/namespace.ts'
import { isEntryName, parseSitePath } from '#site/path.ts'
import { exceedsUtf8Bytes } from '#site/utf8.ts'
import { expectation } from './expectation.ts'
import { ownField } from './own-fields.ts'

export type SiteSettings = PlaceSitehostSettings.Main

/** Settings of a site without a settings record. */
export const defaultSettings = {
  indexFiles: ['index.html'],
  cleanUrls: false,
  directoryListing: false,
} satisfies Partial<SiteSettings>

export type SettingsResult =
  | { readonly ok: true; readonly settings: SiteSettings }
  /** For the author: the broken rule, or the field and what it expects. */
  | { readonly ok: false; readonly error: string }

/** Parses untrusted JSON into what fits the lexicon: unknown fields dropped, missing ones missing. Never throws. */
export function parseSettings(input: unknown): SettingsResult {
  // Before the types: the conflict is reported whatever the values' types are.
  if (modes.filter((mode) => isEnabled(ownField(input, mode))).length > 1) {
    return { ok: false, error: onlyOneMode }
  }
  // zod reads `.length` of any value, and throws if it is an object that cannot become a number.
  const noList = lists.find((name) => !Array.isArray(ownField(input, name) ?? []))
  if (noList !== undefined) return { ok: false, error: `${noList}: expected a list` }
  const parsed = settingsFields.safeParse(withoutUnset(input), { error: expectation })
  if (parsed.success) {
    return { ok: true, settings: { $type: ownNamespace.settings, ...parsed.data } }
  }
  const [issue] = parsed.error.issues
  return { ok: false, error: `${issue?.path.join('.') || 'body'}: ${issue?.message}` }
}

/** The settings with these fields set. A page or listing that is enabled takes the place of another one. */
export function withFields(settings: SiteSettings | null, fields: SiteSettings): SiteSettings {
  const isReplaced = modes.some((mode) => isEnabled(ownField(fields, mode)))
  const kept = Object.entries(settings ?? defaultSettings).filter(
    ([name]) => !(isReplaced && modes.includes(name)),
  )
  const merged = parseSettings({ ...Object.fromEntries(kept), ...fields })
  return merged.ok ? merged.settings : fields
}

const lists = ['indexFiles', 'headers']
const pages = ['spaMode', 'custom404']
const modes = ['spaMode', 'directoryListing', 'custom404']
// interface.md §4.4, to the letter
const onlyOneMode = 'Only one of spaMode, directoryListing, or custom404 can be enabled'

const isEnabled = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value !== '')

/** False and null mean the same as a missing page (decisions.md §8); lexicons know only strings. */
function withoutUnset(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const isUnset = ([name, value]: [string, unknown]) =>
    pages.includes(name) && (value === false || value === null)
  return Object.fromEntries(Object.entries(input).filter((field) => !isUnset(field)))
}

// Limits of the lexicon.
const pathBytesMax = 500
const headerValueMax = 1000

const indexFile = z.string().refine(isEntryName, 'expected the name of a file, without a folder')

/** Empty: disabled. */
const pageFile = z
  .string()
  .refine(
    (path) => path === '' || (parseSitePath(path) !== null && fits(path, pathBytesMax)),
    `expected the path of a file in the site, such as index.html, of at most ${pathBytesMax} bytes`,
  )

const header = z.object({
  name: z
    .string()
    .refine(
      (name) => isFieldName(name) && fits(name, headerNameCharsMax),
      'expected the name of a header field',
    )
    .refine((name) => describeRefusedField(name.toLowerCase()) === null, {
      error: ({ input }) => describeRefusedField(String(input).toLowerCase()) ?? undefined,
    }),
  value: z
    .string()
    .refine(
      (value) => isFieldValue(value) && value.length <= headerValueMax,
      `expected at most ${headerValueMax} visible ASCII characters`,
    ),
  path: z
    .string()
    .refine(
      (path) =>
        path !== '' && path.isWellFormed() && !holdsControl(path) && fits(path, pathBytesMax),
      `expected a pattern of at most ${pathBytesMax} bytes`,
    )
    .exactOptional(),
})

export const settingsFields = z.object({
  indexFiles: z.array(indexFile).max(10).exactOptional().describe('Names, without a folder'),
  cleanUrls: z.boolean().exactOptional(),
  trailingSlash: z.enum(['auto', 'always', 'never']).exactOptional(),
  directoryListing: z.boolean().exactOptional(),
  spaMode: pageFile
    .exactOptional()
    .describe(`Path of a file, at most ${pathBytesMax} bytes; empty, false or null: not set`),
  custom404: pageFile.exactOptional().describe('The same'),
  headers: z
    .array(header)
    .max(50)
    .exactOptional()
    .describe(
      `Up to ${headerNameCharsMax}, ${headerValueMax} and ${pathBytesMax} bytes, visible ASCII`,
    ),
  history: z
    .object({ keep: z.int().min(0).max(versionRecordsMax).exactOptional() })
    .exactOptional()
    .describe(`Kept versions: 0 (none) to ${versionRecordsMax}`),
})

/** Lexicons count the bytes of a string. */
const fits = (text: string, bytesMax: number): boolean => !exceedsUtf8Bytes(text, bytesMax)

const holdsControl = (text: string): boolean => /\p{Cc}/u.test(text)
