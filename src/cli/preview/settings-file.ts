import { readFile, stat } from 'node:fs/promises'
import { FolderError, UnreadableFileError } from '#cli/folder/folder-error.ts'
import { stateOfFile } from '#cli/folder/folder-listing.ts'
import { codeOf } from '#observe/code-of.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'

/** The content of a settings file when it was last read. */
export interface SettingsState {
  /** A different string whenever the file may have changed, appeared or disappeared. */
  readonly state: string
  readonly settings: SiteSettings | null | FolderError
  /** Ignored parts of valid settings. */
  readonly problems: readonly string[]
}

export const noSettings: SettingsState = { state: '', settings: null, problems: [] }

/**
 * Reads a site's settings as the settings route does, unless the file is unchanged since `before`. Invalid
 * settings are a FolderError that names the field.
 */
export async function pollSettings(path: string, before: SettingsState): Promise<SettingsState> {
  const state = await stateOf(path)
  if (state === before.state) return before
  try {
    return { state, ...readSettings(path, await textOf(path)) }
  } catch (error) {
    if (!(error instanceof FolderError)) throw error
    return { state, settings: error, problems: [] }
  }
}

async function stateOf(path: string): Promise<string> {
  try {
    return stateOfFile(await stat(path, { bigint: true }))
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
    throw new UnreadableFileError(path, cause)
  }
}

function readSettings(path: string, text: string): Omit<SettingsState, 'state'> {
  const input = parseJson(path, text)
  const parsed = parseSettings(input)
  if (!parsed.ok) throw new FolderError(`${path}: ${parsed.error}`)
  const { settings } = parsed
  const unknown = Object.keys(input as object).filter((field) => !Object.hasOwn(settings, field))
  const problems = unknown.map((field) => `${path}: there is no setting ${JSON.stringify(field)}`)
  return { settings, problems }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new FolderError(`${path} is not JSON: ${(cause as SyntaxError).message}`, { cause })
  }
}
