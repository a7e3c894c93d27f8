import { siteFileBytesMax } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import {
  type RuleFileName,
  ruleFileNames,
  sharedRoot,
  siteFileName,
  skipReason,
} from '#site/upload/path-rules.ts'
import { type StartPage, startPageOf } from '#site/upload/start-page.ts'
import { type SkippedFile, UploadAdmission } from '#site/upload/upload-admission.ts'
import { UploadRefusedError } from '#site/upload/upload-refusal.ts'
import { inSlices, nextTask } from './in-slices.ts'
import { archiveNameOf, openZip } from './open-archive.ts'
import type { PickedFile } from './picked-file.ts'

/** A file of a site that is about to be published. */
export interface SiteFile extends PickedFile {
  readonly path: SitePath
}

/** What will be published, and what will not. */
export interface Choice {
  readonly files: readonly SiteFile[]
  readonly totalBytes: number
  /** The folder that everything was in, or the archive's name without its ending; '' for loose files. */
  readonly folder: string
  /** A folder that is left out whole counts once. */
  readonly leftOut: readonly SkippedFile[]
  /** Why this cannot become a site, in sentences. */
  readonly problems: readonly string[]
  /** Lines of ignore rules that have no effect. */
  readonly notes: readonly string[]
  /** From `sitehost.json`: the site that it names, and the settings to set. */
  readonly siteName: string | null
  readonly settings: SiteSettings | null
  readonly startPage: StartPage
  /** A tar, which only the service can open; `files` has it alone. */
  readonly isSealed: boolean
  readonly picked: readonly PickedFile[]
}

/**
 * Chooses the files that become the site, by the rules of the service (`UploadAdmission`), so that page, preview
 * and service agree on each. Opens a zip. Throws ReadError.
 */
export async function chooseFiles(picked: readonly PickedFile[]): Promise<Choice> {
  const { kept, leftOut } = await withoutSkipped(picked)
  const archive = archiveNameOf(kept)
  if (archive === null) {
    return await chooseAmong({ kept, leftOut: [] }, { leftOut, picked, name: null })
  }
  const { name } = archive
  if (archive.isZip) {
    const inside = await withoutSkipped(await openZip(archive.file))
    return await chooseAmong(inside, { leftOut, picked, name })
  }
  return {
    files: [archive.file as SiteFile],
    totalBytes: archive.file.bytes,
    folder: archive.name,
    leftOut,
    problems: [],
    notes: [],
    siteName: null,
    settings: null,
    startPage: { kind: 'index' },
    isSealed: true,
    picked,
  }
}

/** The same with a folder of it as the whole site. */
export async function chooseFolder({ picked }: Choice, folder: string): Promise<Choice> {
  const { kept, leftOut } = await withoutSkipped(picked)
  const archive = archiveNameOf(kept)
  const all = archive?.isZip ? await openZip(archive.file) : kept
  const root = sharedRoot(all.map(({ path }) => path))
  const top = root === null ? `${folder}/` : `${root}/${folder}/`
  const within = all
    .filter(({ path }) => path.startsWith(top))
    .map((file) => ({ ...file, path: file.path.slice(top.length) }))
  const name = archive?.name ?? root ?? folder
  return await chooseAmong(await withoutSkipped(within), { leftOut, picked: within, name })
}

async function chooseAmong(
  { kept, leftOut }: Unskipped,
  known: Pick<Choice, 'leftOut' | 'picked'> & { readonly name: string | null },
): Promise<Choice> {
  const root = sharedRoot(kept.map(({ path }) => path))
  const top = root === null ? '' : `${root}/`
  const problems = new Set<string>()
  const admission = new UploadAdmission<SiteFile>(noLimits, ({ message }) => problems.add(message))
  const rules = await readRules(kept, top)
  if (!rules.ok) problems.add(rules.problem)
  try {
    for (const { name, text } of rules.ok ? rules.texts : []) {
      for (const _ of admission.ignoreBy(top + name, name, text));
    }
    await inSlices(kept, (file) => {
      const path = admission.admit(file.path, file.problem)
      if (path !== null) admission.add({ ...file, path })
    })
  } catch (error) {
    if (!(error instanceof UploadRefusedError)) throw error
    problems.add(error.message)
  }
  await nextTask()
  const { files, skippedFiles, ruleProblems } = admission.finish()
  await nextTask()
  const { siteName = null, settings = null } = rules.ok ? rules : {}
  return {
    files,
    totalBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    folder: known.name ?? root ?? '',
    leftOut: [...known.leftOut, ...leftOut, ...skippedFiles],
    problems: [...problems],
    notes: ruleProblems.map(({ name, reason }) => `${name}, ${reason}`),
    siteName,
    settings,
    startPage: startPageOf(files, settings),
    isSealed: false,
    picked: known.picked,
  }
}

/** The service knows its limits of bytes, and compares with them before anything is sent. */
const noLimits = {
  fileBytesMax: Number.POSITIVE_INFINITY,
  siteBytesMax: Number.POSITIVE_INFINITY,
}

interface Unskipped {
  readonly kept: readonly PickedFile[]
  readonly leftOut: readonly SkippedFile[]
}

async function withoutSkipped(all: readonly PickedFile[]): Promise<Unskipped> {
  const reasons = new Map<string, string>()
  const kept: PickedFile[] = []
  await inSlices(all, (file) => {
    const out = skippedAt(file.path)
    if (out === null) kept.push(file)
    else reasons.set(out.name, out.reason)
  })
  return { kept, leftOut: Array.from(reasons, ([name, reason]) => ({ name, reason })) }
}

/** The file or the outermost folder above it that is never part of a site, and why; null if none is. */
function skippedAt(path: string): SkippedFile | null {
  const segments = path.split('/')
  for (let depth = 1; depth <= segments.length; depth++) {
    const name = segments.slice(0, depth).join('/')
    const reason = skipReason(name)
    if (reason !== null) return { name, reason }
  }
  return null
}

type Rules =
  | {
      readonly ok: true
      readonly texts: readonly { readonly name: RuleFileName; readonly text: string }[]
      readonly siteName: string | null
      readonly settings: SiteSettings | null
    }
  | { readonly ok: false; readonly problem: string }

async function readRules(kept: readonly PickedFile[], top: string): Promise<Rules> {
  const texts: { name: RuleFileName; text: string }[] = []
  let siteName: string | null = null
  let settings: SiteSettings | null = null
  for (const name of ruleFileNames) {
    const file = kept.find(({ path }) => path === top + name)
    if (file === undefined) continue
    const start = (await file.open()).slice(0, siteFileBytesMax + 1)
    let text = await start.text()
    if (name === siteFileName) {
      // Few folders have one; its parser is as large as the rest of the page.
      const { parseSiteFile } = await import('./read-site-file.ts')
      const parsed = parseSiteFile(text)
      if (!parsed.ok) return { ok: false, problem: `${siteFileName}, ${parsed.problem}.` }
      siteName = parsed.file.site
      settings = parsed.file.settings
      text = parsed.file.ignore.join('\n')
    }
    texts.push({ name, text })
  }
  return { ok: true, texts, siteName, settings }
}
