import { openSite, type SiteOptions } from '#cli/account/own-sites.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import { explained } from '#cli/explained.ts'
import { readSettings, writeSettings } from '#publish/site-settings.ts'
import {
  parseSettings,
  type SiteSettings,
  settingsFields,
  withFields,
} from '#site/record/settings.ts'

/** Prints the settings of a site as JSON. Throws CommandError. */
export async function getSettings(options: SiteOptions, context: CommandContext): Promise<void> {
  const { console, signal } = context
  const { address, parts } = await openSite(options, context)
  const { record } = await explained(signal, { doing: 'reading' }, () =>
    readSettings(address.name, parts),
  )
  if (options.json) console.say(JSON.stringify(record))
  else for (const line of JSON.stringify(record, null, 2).split('\n')) console.say(line)
}

/** Sets some fields, such as `cleanUrls=true`; the others stay. `=` alone removes one. Throws CommandError. */
export async function setSettings(
  assignments: readonly string[],
  options: SiteOptions,
  context: CommandContext,
): Promise<void> {
  const { console, signal } = context
  const changes = assignments.map(parseAssignment)
  const { address, parts } = await openSite(options, context)
  const written = await explained(signal, { doing: 'changing' }, async () => {
    const stored = await readSettings(address.name, parts)
    const before = parseSettings(stored.record)
    if (!before.ok) {
      throw new CommandError(
        `The settings of ${address.name} cannot be read, and nothing is changed: ${before.error}.`,
      )
    }
    const settings = changedBy(before.settings, changes)
    return await writeSettings(address.name, settings, parts, (cid) => cid === stored.cid)
  })
  if (written === null) throw new CommandError(`There is no site ${address.name}.`)
  if (options.json) console.say(JSON.stringify({ site: address.name, ...written }))
  else console.say(`The settings of ${address.name} are written: ${written.uri}`)
}

interface Assignment {
  readonly field: string
  /** Undefined: the field is removed. */
  readonly value: unknown
}

function parseAssignment(text: string): Assignment {
  const [, field, value = ''] = text.match(/^(\w+)=(.*)$/s) ?? []
  if (field === undefined)
    throw new UsageError(
      `${JSON.stringify(text)}: expected <field>=<value>, such as cleanUrls=true.`,
    )
  return { field, value: value === '' ? undefined : jsonOr(value) }
}

/** Names of files need no quotes. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const known = Object.keys(settingsFields.shape).join(', ')

function changedBy(settings: SiteSettings | null, changes: readonly Assignment[]): SiteSettings {
  const set = Object.fromEntries(
    changes.flatMap(({ field, value }) => (value === undefined ? [] : [[field, value]])),
  )
  const parsed = parseSettings(set)
  if (!parsed.ok) throw new UsageError(`${parsed.error}.`)
  const unknown = Object.keys(set).find((field) => !Object.hasOwn(parsed.settings, field))
  if (unknown !== undefined)
    throw new UsageError(`There is no setting ${unknown}. There are: ${known}.`)
  const removed = new Set(
    changes.flatMap(({ field, value }) => (value === undefined ? [field] : [])),
  )
  const merged = Object.entries(withFields(settings, parsed.settings)).filter(
    ([field]) => !removed.has(field),
  )
  const all = parseSettings(Object.fromEntries(merged))
  if (!all.ok) throw new UsageError(`${all.error}.`)
  return all.settings
}
