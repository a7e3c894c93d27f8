import type { SiteLimits } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { Snapshot } from '#site/visit/snapshot.ts'
import { type FolderListing, listFolder } from './folder-listing.ts'
import { type FolderVersion, readFolderVersion } from './folder-version.ts'
import { PreviewError } from './preview-error.ts'
import { lookAtSettings, noSettings, type SettingsSight } from './settings-file.ts'
import type { StoredFiles } from './stored-files.ts'
import { watchForChanges } from './watch-for-changes.ts'

interface PreviewContext {
  readonly folder: string
  /** Null: the defaults count. */
  readonly settingsFile: string | null
  readonly limits: SiteLimits
  readonly stored: StoredFiles
  /** Called with each version of the folder; its bytes are in `stored`. */
  readonly show: (snapshot: Snapshot) => void
  /** Called with each line for the person who is looking on. */
  readonly say: (line: string) => void
  readonly now: () => number
  readonly signal: AbortSignal
}

/** What lies there at one moment. */
interface Sight {
  readonly listing: FolderListing | PreviewError
  readonly settings: SettingsSight
}

/** A folder that is shown as the site that publishing would make of it. */
export class FolderPreview {
  readonly #context: PreviewContext
  #sight: Sight = { listing: { files: [], leftOut: [] }, settings: noSettings }
  /** Those that can be used. */
  #settings: SiteSettings | null = null
  #problems: readonly string[] = []

  constructor(context: PreviewContext) {
    this.#context = context
  }

  /** Shows the folder and says what is wrong with it. Throws PreviewError when it cannot be shown. */
  async start(): Promise<void> {
    this.#sight = await this.#look()
    const { settings } = this.#sight.settings
    if (settings instanceof PreviewError) throw settings
    const version = await this.#read(this.#sight)
    this.#show(version, describeVersion(this.#context.folder, version))
  }

  /**
   * Shows it again whenever it or its settings have changed. A state that cannot be shown is said, and the
   * last one stays. Rejects with the signal's AbortError.
   */
  async watch(): Promise<never> {
    return await watchForChanges(this.#sight, {
      look: async () => {
        this.#sight = await this.#look()
        return this.#sight
      },
      stateOf,
      onChange: (sight) => this.#showChange(sight),
      signal: this.#context.signal,
    })
  }

  async #look(): Promise<Sight> {
    const { folder, settingsFile } = this.#context
    const { settings } = this.#sight
    return {
      listing: await orPreviewError(listFolder(folder)),
      settings: settingsFile === null ? settings : await lookAtSettings(settingsFile, settings),
    }
  }

  async #read({ listing, settings: file }: Sight): Promise<FolderVersion> {
    if (listing instanceof PreviewError) throw listing
    const isUsable = !(file.settings instanceof PreviewError)
    if (isUsable) this.#settings = file.settings as SiteSettings | null
    const version = await readFolderVersion(listing, { ...this.#context, settings: this.#settings })
    return { ...version, problems: [...problemsOf(file), ...version.problems] }
  }

  async #showChange(sight: Sight): Promise<void> {
    const version = await orPreviewError(this.#read(sight))
    if (version instanceof PreviewError) {
      this.#context.say(printable(`${version.message}; what was there before is still shown`))
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

const stateOf = ({ listing, settings }: Sight): string =>
  listing instanceof PreviewError ? listing.message : JSON.stringify([listing, settings.state])

const problemsOf = ({ settings, problems }: SettingsSight): readonly string[] =>
  settings instanceof PreviewError
    ? [`${settings.message}; the settings from before count`]
    : problems

async function orPreviewError<Result>(work: Promise<Result>): Promise<Result | PreviewError> {
  try {
    return await work
  } catch (error) {
    if (error instanceof PreviewError) return error
    throw error
  }
}

/** Of each kind; whoever has more has one reason for them. */
const linesMax = 20

/** What a person is told of a folder that was read for the first time. */
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

/** What of it is new since the problems were these. */
export function describeChange(version: FolderVersion, before: readonly string[]): string[] {
  const { problems } = version
  const news = problems.filter((problem) => !before.includes(problem))
  return [
    `read again: ${filesOf(version)}, ${counted(problems.length, 'problem')}`,
    ...shortened(news.map((problem) => `problem: ${problem}`)),
  ].map(printable)
}

/** A line without what a terminal would obey: names and rules may be anybody's. */
export const printable = (line: string): string => `  ${line.replace(/\p{Cc}/gu, '\uFFFD')}`

const filesOf = ({ snapshot }: FolderVersion): string => counted(snapshot.files.size, 'file')

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= linesMax) return [...lines]
  return [...lines.slice(0, linesMax), `… and ${lines.length - linesMax} more`]
}
