import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import type { BuildMetafile } from 'bun'
import { cacheOf } from '#main/config/cache-folder.ts'
import { codeOf } from '#observe/code-of.ts'

/** What the bundler has made. */
export interface Built {
  readonly files: readonly BuiltFile[]
  /** If it was asked for. */
  readonly metafile: BuildMetafile
}

export interface BuiltFile {
  readonly path: string
  readonly contentType: string
  readonly isEntry: boolean
  readonly bytes: Uint8Array<ArrayBuffer>
}

export const textOf = ({ bytes }: BuiltFile): string => new TextDecoder().decode(bytes)

export type BuildOptions = Parameters<typeof Bun.build>[0]

export type Build = (options: BuildOptions) => Promise<Built>

export const checkout = fileURLToPath(new URL('../../../', import.meta.url))

/** Which versions are installed (npm writes it). */
const installed = 'node_modules/.package-lock.json'

/** The result of `make` for this question, which has to name all that it depends on besides the sources. */
export type Keep = <T>(question: string, make: () => Promise<T>) => Promise<T>

/** In the bundled program, what it is made of: its start has just read all of that. */
declare const bundledSources: string | undefined

/**
 * What is not made again from the same files: the last result for each question is in a folder, if this process may write
 * there and npm has installed the packages. The files are those of this moment.
 */
export function keptResults(root = checkout): Keep {
  const sources = typeof bundledSources === 'undefined' ? hashOfSources(root) : bundledSources
  return async <T>(question: string, make: () => Promise<T>) => {
    if (sources === null) return await make()
    const file = join(cacheOf(root), 'sitehost', hashOf(Bun.version, question))
    const kept = await readKept<T>(file, sources)
    if (kept !== null) return kept
    const made = await make()
    await write(file, sources, made)
    return made
  }
}

/** The bundler, with results that are kept. */
export const keptBuilds =
  (keep: Keep): Build =>
  // Without functions: those of plugins are among the sources. The metafile has paths from the working directory.
  (options) =>
    keep(JSON.stringify([process.cwd(), options]), () => build(options))

async function build(options: BuildOptions): Promise<Built> {
  const { outputs, metafile = { inputs: {}, outputs: {} } } = await Bun.build(options)
  const files = await Promise.all(
    outputs.map(async (output) => ({
      path: output.path,
      contentType: output.type,
      isEntry: output.kind === 'entry-point',
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  )
  return { files, metafile }
}

/** Of everything that a bundle may be made of; null where npm has not installed the packages. */
export function hashOfSources(root: string): string | null {
  const files = ['package.json', 'tsconfig.json', installed]
  for (const folder of ['src', 'web']) {
    const inside = Array.from(new Bun.Glob(`${folder}/**/*`).scanSync(root))
    files.push(...inside.filter((path) => !path.includes('.test.ts')).toSorted())
  }
  try {
    return hashOf(...files.flatMap((path) => [path, readFileSync(join(root, path))]))
  } catch (error) {
    // Also of a file that is removed meanwhile.
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Of each question one: a start has up to six. */
const keptMax = 32

/** What is kept becomes code of this service and of the app: a file that somebody else could have written is not read. */
async function readOwn(file: string): Promise<Buffer | null> {
  await using handle = await open(file)
  const { mode, uid } = await handle.stat()
  const isOwn = uid === process.getuid?.() && (mode & 0o022) === 0
  return isOwn ? await handle.readFile() : null
}

async function readKept<T>(file: string, sources: string): Promise<T | null> {
  try {
    const bytes = await readOwn(file)
    if (bytes === null) return null
    const [[hash, of], payload] = split(bytes)
    // A power cut may have left a file that is not whole.
    return of === sources && hash === hashOf(payload) ? deserialize(payload) : null
  } catch (error) {
    if (codeOf(error) !== undefined) return null
    throw error
  }
}

async function write(file: string, sources: string, made: unknown): Promise<void> {
  const payload = serialize(made)
  const folder = dirname(file)
  const temporary = `${file}.${randomUUID()}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const bytes = Buffer.concat([Buffer.from(hashOf(payload) + sources), payload])
    await writeFile(temporary, bytes, { mode: 0o600 })
    await rename(temporary, file)
    await removeOldest(folder)
  } catch (error) {
    // An install that belongs to somebody else bundles at each start.
    if (codeOf(error) === undefined) throw error
    await rm(temporary, { force: true }).catch(() => undefined)
  }
}

async function removeOldest(folder: string): Promise<void> {
  const paths = (await readdir(folder)).map((name) => join(folder, name))
  if (paths.length <= keptMax) return
  const files = await Promise.all(
    paths.map(async (path) => ({ path, writtenAt: (await stat(path)).mtimeMs })),
  )
  const oldest = files.toSorted((a, b) => b.writtenAt - a.writtenAt).slice(keptMax)
  for (const { path } of oldest) await rm(path, { force: true })
}

const hashLength = 64

const split = (bytes: Buffer): [[hash: string, of: string], payload: Buffer] => [
  [bytes.toString('latin1', 0, hashLength), bytes.toString('latin1', hashLength, 2 * hashLength)],
  bytes.subarray(2 * hashLength),
]

/** In hexadecimal digits; of two lists that differ, also if the same bytes are in them. */
export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest('hex')
}
