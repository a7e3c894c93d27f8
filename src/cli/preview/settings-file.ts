import { readFile, stat } from 'node:fs/promises'
import { codeOf } from '#observe/code-of.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { PreviewError } from './preview-error.ts'

/** What a settings file said when it was last looked at. */
export interface SettingsSight {
  /** Another text whenever the file may have changed, or came or went. */
  readonly state: string
  readonly settings: SiteSettings | null | PreviewError
  /** What counts for nothing in settings that can be used. */
  readonly problems: readonly string[]
}

export const noSettings: SettingsSight = { state: '', settings: null, problems: [] }

/**
 * Reads a site's settings as the settings route takes them, unless they are as they were `before`. What is
 * wrong with them is a PreviewError that names the field.
 */
export async function lookAtSettings(path: string, before: SettingsSight): Promise<SettingsSight> {
  const state = await stateOf(path)
  if (state === before.state) return before
  try {
    return { state, ...readSettings(path, await textOf(path)) }
  } catch (error) {
    if (!(error instanceof PreviewError)) throw error
    return { state, settings: error, problems: [] }
  }
}

async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    return code
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new PreviewError(`${path} cannot be read (${codeOf(cause)})`, { cause })
  }
}

function readSettings(path: string, text: string): Omit<SettingsSight, 'state'> {
  const input = parseJson(path, text)
  const parsed = parseSettings(input)
  if (!parsed.ok) throw new PreviewError(`${path}: ${parsed.error}`)
  const { settings } = parsed
  const unknown = Object.keys(input as object).filter((field) => !Object.hasOwn(settings, field))
  const problems = unknown.map((field) => `${path}: there is no setting ${JSON.stringify(field)}`)
  return { settings, problems }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new PreviewError(`${path} is not JSON: ${reason}`, { cause })
  }
}
