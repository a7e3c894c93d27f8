import type { SitePath } from '#site/path.ts'
import { asOnlyTab } from '#web/publish/files/as-only-tab.ts'
import type { Choice } from '#web/publish/files/choose-files.ts'
import type { KeepOutcome, KeptFacts } from '#web/publish/files/kept-drop.ts'
import type { PickedFile } from '#web/publish/files/picked-file.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { isForeseen, reportPageError } from '#web/shell/page-errors.ts'
import { words } from '#web/words/words.ts'
import type { PublishEngine } from './publish-engine.ts'
import { isRunning, type PublishState } from './publish-state.ts'
import { isWantedBy, setWantedName, wantedName } from './send/wanted-name.ts'
import { suggestSiteName } from './suggest-site-name.ts'
import { forgetDropped, withKeptDrops } from './with-kept-drops.ts'

export interface SessionState {
  readonly choice: Choice | null
  /** Files found so far while a choice is being read; null: none is. */
  readonly found: number | null
  /** Why the last choice could not be read, or null. */
  readonly problem: string | null
  /** The page that is to be the start page; null: the settings say it, or nobody. */
  readonly startPage: SitePath | null
  /** It was chosen before this page was loaded. */
  readonly isRestored: boolean
  /** Whether the choice outlives this page; null: not known yet. */
  readonly kept: KeepOutcome | null
  readonly publish: PublishState
}

const nothing = {
  choice: null,
  found: null,
  problem: null,
  startPage: null,
  isRestored: false,
  kept: null,
} as const

/**
 * What is chosen and published in this tab. It outlives the pages of the app, so that people look at other ones while
 * it publishes, and what is chosen outlives the document (`kept-drop`).
 */
class PublishSession {
  readonly #listeners = new Set<() => void>()
  #engine: PublishEngine | null = null
  #state: SessionState = { ...nothing, publish: { stage: 'idle' } }
  #latestNumber = 0
  #restoring: Promise<void> | null = null

  get state(): SessionState {
    return this.#state
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Of a drop; call it within the event. Null: nothing came of it, or something else was chosen meanwhile. */
  async takeEntries(entries: readonly FileSystemEntry[]): Promise<Choice | null> {
    if (entries.length === 0) return null
    return await this.#begin(async (onFound) => {
      const { filesOfEntries } = await reading()
      return await filesOfEntries(entries, { onFound })
    })
  }

  /** Of a file dialog. */
  async takeChosen(files: readonly File[]): Promise<Choice | null> {
    if (files.length === 0) return null
    return await this.#begin(async () => {
      const { filesOfInput } = await reading()
      return await filesOfInput(files)
    })
  }

  async takeFiles(picked: readonly PickedFile[]): Promise<Choice | null> {
    if (picked.length === 0) return null
    return await this.#begin(async () => picked)
  }

  /** Resolves when what was chosen last has been read. */
  get chosen(): Promise<void> {
    return this.#taking
  }

  /** The folder of the choice as the whole site. */
  async takeFolder(folder: string): Promise<void> {
    const { choice } = this.#state
    if (choice === null) return
    const { chooseFolder } = await reading()
    const within = await chooseFolder(choice, folder)
    this.#choose(within, this.#latestNumber)
  }

  setStartPage(startPage: SitePath): void {
    this.#set({ startPage })
  }

  /** What was chosen is forgotten, here and in the browser's storage. */
  async clear(): Promise<void> {
    this.#latestNumber++
    this.#engine?.reset()
    setWantedName(null)
    this.#set(nothing)
    await forgetDropped()
  }

  /** The name that the choice suggests; '' when it suggests none. */
  get suggestedName(): string {
    const { choice } = this.#state
    return choice === null ? '' : (choice.siteName ?? suggestSiteName(choice.folder))
  }

  /** Publishes the choice. Leaving the page and coming back continues it. */
  async publish(siteName: string): Promise<void> {
    await asOnlyTab(() => this.#publish(siteName, null))
  }

  async #publish(siteName: string, deployId: string | null): Promise<void> {
    const { choice, startPage } = this.#state
    if (choice === null || isRunning(this.#state.publish)) return
    setWantedName(siteName)
    void noteKept({ siteName })
    const { files, isSealed, settings } = choice
    const ofPage = startPage === null ? null : { indexFiles: [startPage] }
    const engine = await this.#open().catch(() => null)
    if (engine === null) {
      const message = words.server.unreachable
      return this.#set({ publish: { stage: 'failed', siteName, message, kind: 'refused' } })
    }
    await engine.publish({
      siteName,
      files,
      isSealed,
      deployId,
      ...((settings ?? ofPage) && { settings: { ...settings, ...ofPage } }),
    })
  }

  /** The choice is to be published after the sign-in with this handle or DID (null: with any). Resolves when it is kept. */
  async want(account: string | null): Promise<void> {
    const siteName = this.suggestedName || plainName
    setWantedName(siteName, account)
    await this.#keeping
    await noteKept({ siteName })
  }

  /** Not any more; the choice stays. */
  unwant(): void {
    setWantedName(null)
  }

  /** Publishes for nobody but the account with which the sign-in was begun: another one is asked. */
  unwantUnlessBy(user: Parameters<typeof isWantedBy>[0]): void {
    if (this.wanted === null || isWantedBy(user)) return
    this.unwant()
    this.#set({ problem: words.publish.otherAccount(user.handle) })
  }

  async retry(): Promise<void> {
    const { publish } = this.#state
    const engine = this.#engine
    if (engine !== null) await asOnlyTab(() => engine.retry())
    else if (publish.stage === 'failed') await this.publish(publish.siteName)
  }

  cancel(): void {
    setWantedName(null)
    this.#engine?.cancel()
  }

  /** Brings back what was chosen before the document was loaded. Once a document. */
  async restore(): Promise<void> {
    this.#restoring ??= this.#restore()
    await this.#restoring
  }

  /** The name under which this tab was about to publish when the document was left, or null. */
  get wanted(): string | null {
    return wantedName()
  }

  #taking: Promise<void> = Promise.resolve()
  #keeping: Promise<unknown> = Promise.resolve()
  #keptDeploy: string | null = null

  /** The service has a part of it already. */
  get hasBegun(): boolean {
    return this.#keptDeploy !== null
  }

  /** Continues what this tab was publishing when the document was left, unless its copy does so, or has done so. */
  async continue(siteName: string): Promise<void> {
    await asOnlyTab(async (isOnly) => {
      if (isOnly && (await readKept()) !== null) {
        await this.#publish(siteName, this.#keptDeploy)
        return
      }
      setWantedName(null)
      this.#set({ ...nothing, problem: isOnly ? null : words.publish.inOtherTab })
    })
  }

  async #restore(): Promise<void> {
    // Something else was chosen meanwhile, or even before.
    const isLate = () => this.#latestNumber > 0
    const kept = isLate() ? null : await readKept()
    if (kept === null || isLate()) return
    try {
      const { chooseFiles } = await reading()
      const choice = await chooseFiles(kept.picked)
      if (isLate()) return
      this.#keptDeploy = kept.deployId
      this.#set({ ...nothing, choice, kept: 'kept', isRestored: true })
    } catch {
      await forgetDropped()
    }
  }

  #begin(read: Read): Promise<Choice | null> {
    const taking = this.#take(read)
    this.#taking = taking.then(() => undefined)
    return taking
  }

  async #take(read: Read): Promise<Choice | null> {
    if (isRunning(this.#state.publish)) return null
    const number = ++this.#latestNumber
    this.#engine?.reset()
    this.#keptDeploy = null
    this.#set({ ...nothing, found: 0 })
    try {
      const picked = await read((found) => this.#latestNumber === number && this.#set({ found }))
      const { chooseFiles } = await reading()
      return this.#choose(await chooseFiles(picked), number)
    } catch (error) {
      if (this.#latestNumber !== number) return null
      // Browsers reject with a DOMException what is gone or locked.
      if (!(error instanceof DOMException)) reportPageError(error)
      this.#set({
        ...nothing,
        problem: isForeseen(error) ? error.message : words.publish.unreadable,
      })
      return null
    }
  }

  #choose(choice: Choice, number: number): Choice | null {
    if (this.#latestNumber !== number) return null
    this.#set({ ...nothing, choice })
    // Who goes offline now can still press the button, and what is missing is waited for.
    void this.#open().catch(() => undefined)
    const keeping = withKeptDrops<KeepOutcome>(
      (drops) => drops.keep(choice.picked, { siteName: null, deployId: null }),
      'unavailable',
    )
    this.#keeping = keeping.then((kept) => {
      if (this.#latestNumber === number) this.#set({ kept })
    })
    return choice
  }

  #opening: Promise<PublishEngine> | null = null

  #open(): Promise<PublishEngine> {
    this.#opening ??= import('./publish-engine.ts').then(({ PublishEngine }) => {
      const engine = new PublishEngine({
        isSignedOut: leaveIfSignedOut,
        // Whoever reloads once files are sent goes on from there.
        onBegun: (deployId) => noteKept({ deployId }),
      })
      engine.subscribe(() => this.#onPublish(engine.state))
      this.#engine = engine
      return engine
    })
    this.#opening.catch(() => {
      this.#opening = null
    })
    return this.#opening
  }

  #onPublish(publish: PublishState): void {
    const { stage } = publish
    // From here on the service has everything.
    if (stage === 'going-live' && this.#state.publish.stage !== 'going-live') {
      setWantedName(null)
      void forgetDropped()
    }
    if (stage === 'failed') setWantedName(null)
    this.#set({ publish })
  }

  #set(what: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...what }
    for (const listener of this.#listeners) listener()
  }
}

type Read = (onFound: (count: number) => void) => Promise<readonly PickedFile[]>

/** What reads files is loaded with the first of them: the pages are seen before that. */
const reading = () => import('./files/reading.ts')

const readKept = () => withKeptDrops((drops) => drops.read(), null)

const noteKept = (facts: Partial<KeptFacts>) =>
  withKeptDrops((drops) => drops.note(facts), undefined)

/** Whether it shows this job. */
export const isPublishing = ({ publish }: SessionState, jobId: string): boolean =>
  publish.stage === 'going-live' && publish.jobId === jobId

/** Of this tab. */
export const publishSession = new PublishSession()

/** Of a site that nothing suggests a name for. */
const plainName = 'website'
