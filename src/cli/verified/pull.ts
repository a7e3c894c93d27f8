import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fetchStoredBlob } from '#cli/account/fetch-stored-blob.ts'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { CommandError, PulledInPartError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { explained } from '#cli/explained.ts'
import type { LeftOut } from '#cli/folder/folder-listing.ts'
import { parseVersionName } from '#cli/history/site-history.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { codeOf } from '#observe/code-of.ts'
import { byteText, limitText } from '#site/byte-text.ts'
import { siteFilesMax } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { recordKeyOf } from '#site/site-name.ts'
import { decodedContent } from './decoded-content.ts'
import { leftOutReason } from './left-out-reason.ts'
import { findNamedSite } from './named-site.ts'
import { readNamedVersion } from './named-version.ts'
import { readVerified, type VerifiedSite } from './read-verified.ts'

export interface PullOptions extends AccountOptions {
  readonly at?: string
  readonly dotFiles?: true
}

const fetchedAtOnce = 8

/**
 * Writes the files of a site, or of one of its versions, into an empty folder; each is what its owner signed. Throws
 * PulledInPartError if files are left out because programs would obey them, and CommandError; then the folder may have some files.
 */
export async function pull(
  site: string,
  folder: string | undefined,
  options: PullOptions,
  context: CommandContext,
): Promise<void> {
  const { console, limits, signal } = context
  if (options.at !== undefined) parseVersionName(options.at)
  const address = await findNamedSite(site, options, context)
  const into = folder ?? folderNamed(recordKeyOf(address.name))
  await assertEmpty(into)
  const verified =
    options.at === undefined
      ? await readVerified(address, null, context)
      : await readNamedVersion(address, options.at, context)
  const { cid, files, uri } = verified
  const [written, leftOut] = partition([...files], options)
  const filesMax = limits.siteFilesMax ?? siteFilesMax
  if (files.size > filesMax) throw tooLarge(`more than ${filesMax} files (MAX_SITE_FILES)`)
  let done = 0
  let bytes = 0
  await mapAtOnce(written, { atOnce: fetchedAtOnce, signal }, async ([path, node]) => {
    const content = await contentOf(path, node, verified, context)
    bytes += content.byteLength
    if (bytes > limits.siteBytesMax) {
      throw tooLarge(`more than ${limitText(limits.siteBytesMax)} (MAX_SITE_BYTES)`)
    }
    const file = join(into, ...path.split('/'))
    await writeNew(file, content)
    done += 1
    console.progress(`Fetched ${done} of ${written.length} files: ${path}`)
  }).finally(() => {
    if (!signal.aborted || done === 0) return
    console.note(
      `${into} has ${done} of ${counted(written.length, 'file')}. Delete it before you pull again.`,
    )
  })
  for (const { path, reason } of leftOut) console.warn(`left out: ${path} (${reason})`)
  if (options.json) {
    console.say(
      JSON.stringify({
        site: address.name,
        did: address.did,
        uri,
        cid,
        folder: into,
        files: written.length,
        leftOut,
        bytes,
      }),
    )
  } else {
    console.say(
      `${counted(written.length, 'file')} (${byteText(bytes)}) of ${uri} are in ${into}, each as its owner signed it.`,
    )
  }
  if (leftOut.length > 0) {
    throw new PulledInPartError(
      `${into} is not the whole site: ${counted(leftOut.length, 'file')} left out.`,
    )
  }
}

/** A site may be called `.vscode`. Throws CommandError. */
function folderNamed(name: string): string {
  const reason = leftOutReason(name)
  if (reason === null) return name
  throw new CommandError(`Name a folder: ${name} is none that is safe to make here (${reason}).`)
}

type Named = readonly [path: SitePath, node: FileNode]

function partition(
  files: readonly Named[],
  { dotFiles }: PullOptions,
): [written: Named[], leftOut: LeftOut[]] {
  const written: Named[] = []
  const leftOut: LeftOut[] = []
  for (const file of files) {
    const [path] = file
    const reason = leftOutReason(path, { dotFiles })
    if (reason === null) written.push(file)
    else leftOut.push({ path, reason })
  }
  return [written, leftOut]
}

/** Writes no file that is there, and through no link. Throws CommandError. */
async function writeNew(file: string, content: Uint8Array): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { flag: 'wx' })
  } catch (cause) {
    const isTaken = codeOf(cause) === 'EEXIST'
    const reason = isTaken ? 'this name is taken, maybe by one that differs in case' : codeOf(cause)
    throw new CommandError(`${file} cannot be written (${reason}).`, { cause })
  }
}

const tooLarge = (what: string) =>
  new CommandError(`The site has ${what}. What was fetched before stays in the folder.`)

/** The content that the signed record names. Throws CommandError. */
export async function contentOf(
  path: string,
  node: FileNode,
  { identity }: VerifiedSite,
  context: CommandContext,
): Promise<Uint8Array> {
  const { limits, signal } = context
  const { ref, size } = node.blob
  if (size > limits.fileBytesMax * base64Growth) throw tooLargeFile(path, limits.fileBytesMax)
  const reading = { doing: 'reading', server: `The server of ${identity.did}` } as const
  const bytes = await explained(signal, reading, () =>
    fetchStoredBlob(identity, ref.$link, size, context),
  )
  const content =
    bytes.byteLength === size ? await decodedContent(bytes, node, limits.fileBytesMax) : null
  if (content !== null) return content
  throw tooLargeFile(path, limits.fileBytesMax)
}

/** Of a stored form that is larger than its file. */
const base64Growth = 4 / 3

const tooLargeFile = (path: string, bytesMax: number) =>
  new CommandError(
    `${path} is not what its record says, or is larger than ${limitText(bytesMax)} (MAX_FILE_BYTES).`,
  )

async function assertEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((cause) => {
    if (codeOf(cause) === 'ENOENT') return []
    throw new CommandError(`${folder} cannot be read (${codeOf(cause)}).`, { cause })
  })
  if (names.length > 0) throw new CommandError(`${folder} is not empty. Name a new folder.`)
}
