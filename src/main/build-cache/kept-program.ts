import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BunPlugin } from 'bun'
import { cacheOf } from '#main/config/cache-folder.ts'
import { codeOf } from '#observe/code-of.ts'
import { checkout, hashOf, hashOfSources } from './kept-builds.ts'

const threadFile = 'ingest-thread.ts'

/**
 * `program.ts` with all that it imports, as one file: Bun loads it in less than half of the processor time that its thousand
 * modules take. It is bundled once per state of the sources, into a folder. Null where this process may not write
 * there or npm has not installed the packages: the modules themselves are the program then.
 */
export async function keptProgram(root = checkout): Promise<string | null> {
  const sources = hashOfSources(root)
  if (sources === null) return null
  const kept = join(cacheOf(root), 'sitehost-program')
  // Addresses of its files are in it: two checkouts may share their packages.
  const folder = join(kept, hashOf(Bun.version, root, sources))
  const program = join(folder, 'program.js')
  if (await isOwn(program)) return program
  const temporary = join(kept, randomUUID())
  try {
    await mkdir(temporary, { recursive: true, mode: 0o700 })
    if (!(await bundle({ root, sources, outdir: temporary, folder }))) return null
    await take(temporary, folder, program)
    await removeOldest(kept)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined)
  }
  return (await isOwn(program)) ? program : null
}

/** Keeps what another process has put there meanwhile, whose files may be in use, unless others could have written it. */
async function take(temporary: string, folder: string, program: string): Promise<void> {
  try {
    await rename(temporary, folder)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    if (await isOwn(program)) return
    await rm(folder, { recursive: true, force: true })
    await rename(temporary, folder)
  }
}

/** Nobody else could have written what is to be run. */
async function isOwn(file: string): Promise<boolean> {
  try {
    const both = await Promise.all([stat(file), stat(dirname(file))])
    return both.every(({ mode, uid }) => uid === process.getuid?.() && (mode & 0o022) === 0)
  } catch (error) {
    if (codeOf(error) !== undefined) return false
    throw error
  }
}

interface Bundling {
  readonly root: string
  readonly sources: string
  readonly outdir: string
  readonly folder: string
}

/** Writes to `outdir` what is to be in `folder`. False if it cannot be bundled: running the modules says why. */
async function bundle({ folder, outdir, root, sources }: Bundling): Promise<boolean> {
  const { outputs, success } = await Bun.build({
    entrypoints: ['program.ts', threadFile].map((name) => join(root, 'src/main', name)),
    outdir,
    target: 'bun',
    // A start takes a quarter less of processor time with bytecode, which outside of a binary is for CommonJS alone.
    format: 'cjs',
    bytecode: true,
    env: 'disable',
    define: { bundledSources: JSON.stringify(sources) },
    // Names stay: they are in stacks.
    minify: { syntax: true, whitespace: true },
    sourcemap: 'linked',
    plugins: [addressesIn(folder)],
    throw: false,
  })
  for (const { path } of outputs) {
    await chmod(path, 0o600)
    // A power cut must not leave a part of it under its name.
    await using file = await open(path)
    await file.sync()
  }
  return success
}

/** Modules find pictures, the web app and the development network from their own address, and the thread in `folder`. */
const addressesIn = (folder: string): BunPlugin => ({
  name: 'addresses',
  setup(build) {
    const thread = JSON.stringify(pathToFileURL(join(folder, 'ingest-thread.js')).href)
    build.onLoad({ filter: /\/src\/main\/.*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const own = JSON.stringify(pathToFileURL(path).href)
      const contents = text
        .replaceAll(`new URL('./${threadFile}', import.meta.url)`, `new URL(${thread})`)
        .replaceAll(/(new URL\((['`])\.\..*?\2, )import\.meta\.url/g, `$1${own}`)
      return { contents, loader: 'ts' }
    })
  },
})

/** A service that is starting may be about to read one of them. */
const keptMax = 4

async function removeOldest(kept: string): Promise<void> {
  const paths = (await readdir(kept)).map((name) => join(kept, name))
  const folders = await Promise.all(
    paths.map(async (path) => ({ path, madeAt: (await stat(path)).mtimeMs })),
  )
  const oldest = folders.toSorted((a, b) => b.madeAt - a.madeAt).slice(keptMax)
  for (const { path } of oldest) await rm(path, { recursive: true, force: true })
}
