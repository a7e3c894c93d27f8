import { gunzipSync } from 'node:zlib'
import { BlobLostError, type BlobStore } from '#blobs/blob-store.ts'
import { ruleFileBytesMax } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { foreignFileProblems } from '#site/rules/foreign-files.ts'
import { ruleFileTooLarge, ruleProblems } from '#site/rules/rule-problems.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'

interface RuleFiles {
  /** Content of `_redirects`; empty if it is missing or too large. */
  readonly redirects: string
  /** Content of `_headers`; likewise. */
  readonly headers: string
  /** For the owner: mistakes in them, and files that hold other hosts' rules. */
  readonly problems: readonly string[]
}

/** Reads a site's rule files from stored blobs; invalid UTF-8 becomes U+FFFD. Throws BlobLostError and BlobStorageError. */
export async function readRuleFiles(
  files: ReadonlyMap<string, SnapshotFile>,
  settings: SiteSettings | null,
  blobs: Pick<BlobStore, 'open'>,
): Promise<RuleFiles> {
  const problems: string[] = []
  const textOf = async (path: string): Promise<string> => {
    const file = files.get(path)
    if (file === undefined) return ''
    if (isUsable(file)) return await readText(file, blobs)
    problems.push(ruleFileTooLarge(path))
    return ''
  }
  const redirects = await textOf('_redirects')
  const headers = await textOf('_headers')
  problems.push(...ruleProblems({ redirects, headers, settings }))
  problems.push(...foreignFileProblems(files.keys()))
  return { redirects, headers, problems }
}

// A gzip stream of empty blocks can be large without content; no compressor makes one twice as large as its content.
const isUsable = ({ bytes, storedBytes }: SnapshotFile): boolean =>
  bytes <= ruleFileBytesMax && storedBytes <= 2 * ruleFileBytesMax

async function readText(
  { hash, coding, bytes }: SnapshotFile,
  blobs: Pick<BlobStore, 'open'>,
): Promise<string> {
  const blob = await blobs.open(hash)
  if (blob === null) throw new BlobLostError(hash)
  const stored = await blob.bytes()
  const content = coding === 'gzip' ? gunzipSync(stored, { maxOutputLength: bytes + 1 }) : stored
  return new TextDecoder().decode(content)
}
