import { counted } from '#cli/counted.ts'
import { FolderError } from '#cli/folder/folder-error.ts'
import { type FolderListing, listFolder } from '#cli/folder/folder-listing.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { Snapshot } from '#site/visit/snapshot.ts'
import { type FolderVersion, readFolderVersion } from './folder-version.ts'
import { noSettings, pollSettings, type SettingsState } from './settings-file.ts'
import type { StoredFiles } from './stored-files.ts'
import { watchForChanges } from './watch-for-changes.ts'

interface PreviewContext {
  readonly folder: string
  /** Null: default settings. */
  readonly settingsFile: string | null
  readonly limits: SiteLimits
  readonly stored: StoredFiles
  /** Called with each version of the folder; its bytes are in `stored`. */
  readonly show: (snapshot: Snapshot) => void
  /** Called with each line for the user. */
  readonly say: (line: string) => void
  readonly now: () => number
  readonly signal: AbortSignal
}

/** The folder and its settings at one moment. */
interface PolledState {
  readonly listing: FolderListing | FolderError
  readonly settings: SettingsState
}

/** Shows a folder as the site that publishing would make of it. */
export class FolderPreview {
  readonly #context: PreviewContext
  #state: PolledState = { listing: { files: [], leftOut: [] }, settings: noSettings }
  /** The last valid settings. */
  #settings: SiteSettings | null = null
  #problems: readonly string[] = []

  constructor(context: PreviewContext) {
    this.#context = context
  }

  /** Shows the folder and prints its problems. Throws FolderError if it cannot be shown. */
  async start(): Promise<void> {
    const state = await this.#poll()
    const { settings } = state.settings
    if (settings instanceof FolderError) throw settings
    const version = await this.#read(state)
    this.#show(version, describeVersion(this.#context.folder, version))
  }

  /**
   * Shows it again whenever it or its settings change. If the new state cannot be shown, prints why and keeps the
   * last one. Rejects with the signal's AbortError.
   */
  async watch(): Promise<never> {
    return await watchForChanges(this.#state, {
      poll: () => this.#poll(),
      stateOf,
      onChange: (state) => this.#showChange(state),
      signal: this.#context.signal,
    })
  }

  async #poll(): Promise<PolledState> {
    const { folder, settingsFile } = this.#context
    const { settings } = this.#state
    this.#state = {
      listing: await orPreviewError(listFolder(folder)),
      settings: settingsFile === null ? settings : await pollSettings(settingsFile, settings),
    }
    return this.#state
  }

  async #read({ listing, settings: file }: PolledState): Promise<FolderVersion> {
    if (listing instanceof FolderError) throw listing
    if (!(file.settings instanceof FolderError)) this.#settings = file.settings
    const version = await readFolderVersion(listing, { ...this.#context, settings: this.#settings })
    return { ...version, problems: [...problemsOf(file), ...version.problems] }
  }

  async #showChange(state: PolledState): Promise<void> {
    const version = await orPreviewError(this.#read(state))
    if (version instanceof FolderError) {
      this.#context.say(printable(`${version.message}; the previous version is still shown`))
    } else {
      this.#show(version, describeChange(version, this.#problems))
    }
  }

  #show({ snapshot, problems }: FolderVersion, lines: readonly string[]): void {
    this.#problems = problems
    this.#context.show(snapshot)
    for (const line of lines) this.#context.say(line)
  }
}

const stateOf = ({ listing, settings }: PolledState): string =>
  listing instanceof FolderError ? listing.message : JSON.stringify([listing, settings.state])

const problemsOf = ({ settings, problems }: SettingsState): readonly string[] =>
  settings instanceof FolderError ? [`${settings.message}; the previous settings apply`] : problems

async function orPreviewError<Result>(work: Promise<Result>): Promise<Result | FolderError> {
  try {
    return await work
  } catch (error) {
    if (error instanceof FolderError) return error
    throw error
  }
}

/** Lines of each kind: more of them usually have the same cause. */
const linesMax = 20

/** Lines about a folder that was read for the first time. */
export function describeVersion(folder: string, version: FolderVersion): string[] {
  const { leftOut, problems } = version
  return [
    `${folder}: ${filesOf(version)}`,
    ...shortened(
      leftOut.map(({ path, reason }) => `left out: ${JSON.stringify(path)} (${reason})`),
    ),
    ...shortened(problems.map((problem) => `problem: ${problem}`)),
  ].map(printable)
}

/** Lines about a folder that was read again: problems that are not in `before`. */
export function describeChange(version: FolderVersion, before: readonly string[]): string[] {
  const { problems } = version
  const news = problems.filter((problem) => !before.includes(problem))
  return [
    `read again: ${filesOf(version)}, ${counted(problems.length, 'problem')}`,
    ...shortened(news.map((problem) => `problem: ${problem}`)),
  ].map(printable)
}

/** Removes control characters, which a terminal would obey: names and rules are untrusted. */
export const printable = (line: string): string => `  ${line.replace(/\p{Cc}/gu, '\uFFFD')}`

const filesOf = ({ snapshot }: FolderVersion): string => counted(snapshot.files.size, 'file')

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= linesMax) return [...lines]
  return [...lines.slice(0, linesMax), `… and ${lines.length - linesMax} more`]
}
