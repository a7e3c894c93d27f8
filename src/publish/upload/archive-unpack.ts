import { byteText, limitText } from '#site/byte-text.ts'
import type { SiteLimits } from '#site/limits.ts'
import { siteFileBytesMax, uploadOverheadBytesMax } from '#site/limits.ts'
import {
  type RuleFileName,
  ruleFileNames,
  sharedRoot,
  siteFileName,
  skipReason,
} from '#site/upload/path-rules.ts'
import { invalid, quoted, tooLarge } from '#site/upload/upload-refusal.ts'
import type { ArchiveEntry } from './archive-entry.ts'
import { readTar } from './archive-tar.ts'
import { readZip } from './archive-zip.ts'
import { type SpoolFolder, SpoolLimitError } from './spool-folder.ts'
import { startOf } from './start-of.ts'
import type { UploadTree } from './upload-tree.ts'

export interface UnpackOptions {
  readonly folder: SpoolFolder
  readonly limits: SiteLimits
  /** Awaited once an archive has arrived, and disposed of when it is unpacked: may throw to end the upload. */
  readonly unpackSlot?: () => Promise<Disposable>
  /** Called before an archive is unpacked, with the largest size it may need: may throw to end the upload. */
  readonly onUnpack?: (bytes: number) => Promise<void>
}

/** Adds the files of an archive to the tree. The archive itself is in the spool only until then. */
export async function unpackArchive(
  { name, content }: Pick<ArchiveEntry, 'name' | 'content'>,
  options: UnpackOptions,
  tree: UploadTree,
): Promise<void> {
  const { folder, limits, unpackSlot } = options
  const format = formatOf(name)
  if (format === null) throw invalid(`${quoted(name)} is not a .zip, .tar, .tar.gz or .tgz file.`)
  const bytesMax = limits.siteBytesMax + uploadOverheadBytesMax
  const isGzipped = format === 'tar.gz'
  const unpack = async (path: string, archiveBytes: number) => {
    using _ = await unpackSlot?.()
    const read = () => (format === 'zip' ? readZip(path) : readTar(path, { isGzipped, bytesMax }))
    return await addEntries(read, archiveBytes, options, tree)
  }
  await folder.whileOnDisk(content, bytesMax, unpack).catch((error) => {
    if (!(error instanceof SpoolLimitError)) throw error
    throw tooLarge(`This archive is larger than ${limitText(bytesMax)}.`)
  })
}

async function addEntries(
  read: () => AsyncIterable<ArchiveEntry>,
  archiveBytes: number,
  { limits, onUnpack }: UnpackOptions,
  tree: UploadTree,
): Promise<void> {
  // Two passes: files that are left out must not be written, and only all names together show the shared folder
  // and the rules.
  const { bytes, largest, rules } = await survey(read())
  // Rules may leave out the excess.
  if (rules.length === 0 && bytes > limits.siteBytesMax) {
    const file = `${quoted(largest.name)} with ${byteText(largest.bytes)}`
    const size = limitText(limits.siteBytesMax)
    throw tooLarge(`This site is larger than ${size}; its largest file is ${file}.`)
  }
  await onUnpack?.(archiveBytes + Math.min(bytes, limits.siteBytesMax))
  for (const { path, name, text } of rules) await tree.applyRules(path, name, text)
  for await (const entry of read()) {
    if (!rules.some(({ path }) => path === entry.name)) await tree.add(entry)
  }
}

interface Survey {
  /** Of all files that are not left out regardless of rules. */
  readonly bytes: number
  readonly largest: { readonly name: string; readonly bytes: number }
  readonly rules: readonly {
    readonly path: string
    readonly name: RuleFileName
    readonly text: string
  }[]
}

async function survey(entries: AsyncIterable<ArchiveEntry>): Promise<Survey> {
  let bytes = 0
  let largest = { name: '', bytes: 0 }
  const tops = new Set<string>()
  const texts = new Map<string, string>()
  for await (const entry of entries) {
    if (skipReason(entry.name) !== null) continue
    bytes += entry.bytes
    if (entry.bytes > largest.bytes) largest = { name: entry.name, bytes: entry.bytes }
    tops.add(entry.name.slice(0, entry.name.indexOf('/') + 1))
    // A shared folder would be the folder of the first name.
    const [first = ''] = tops
    const isCandidate = ruleFileNames.some((name) => [name, first + name].includes(entry.name))
    if (isCandidate && entry.problem === null && !texts.has(entry.name)) {
      texts.set(entry.name, await startOf(entry.content, siteFileBytesMax + 1))
    }
  }
  const root = sharedRoot(Array.from(tops, (top) => top + siteFileName))
  const rules = ruleFileNames.flatMap((name) => {
    const path = root === null ? name : `${root}/${name}`
    const text = texts.get(path)
    return text === undefined ? [] : { path, name, text }
  })
  return { bytes, largest, rules }
}

function formatOf(name: string): 'zip' | 'tar' | 'tar.gz' | null {
  const ending = /\.(zip|tar|tar\.gz|tgz)$/i.exec(name)?.[1]?.toLowerCase()
  if (ending === 'zip' || ending === 'tar') return ending
  return ending === undefined ? null : 'tar.gz'
}
