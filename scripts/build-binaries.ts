// Compiles the one-file binaries of the command line and of the service: `npm run build:binaries` writes those of this machine's
// platform to dist/binaries; with names of platforms behind it, or `all`, those.

import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { type CodedBytes, codedText, isText } from '#api/web-asset.ts'
import { buildWebApp } from '#main/web-app/build-web-app.ts'
import type { FileOfApp, WebApp } from '#main/web-app/web-app.ts'
import { noticesFile, noticesOf } from './build-cli.ts'

const root = join(import.meta.dir, '..')

/** The modules that processes and threads of each begin with; the process's own first. */
const programs = {
  sitehost: ['site-owner-binary.ts'],
  'sitehost-service': ['binary.ts', 'ingest-thread.ts'],
} as const

type Program = keyof typeof programs

/** Which package of npm has the runtime of a platform. */
const runtimes = {
  'linux-x64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-aarch64',
  'darwin-x64': 'bun-darwin-x64',
  'darwin-arm64': 'bun-darwin-aarch64',
  'windows-x64': 'bun-windows-x64',
} as const

type Platform = keyof typeof runtimes

const ownPlatform = `${process.platform}-${process.arch}`.replace('win32', 'windows')
const isPlatform = (name: string): name is Platform => Object.hasOwn(runtimes, name)

interface CompileOptions {
  readonly platform?: string
  /** With the web app's files compressed, which takes seconds: a service at a public address starts without that. */
  readonly isCodedAhead?: boolean
}

/** Writes the program as one file, with the runtime of `platform`. Throws what the bundler finds wrong. */
export async function compileBinary(
  program: Program,
  outfile: string,
  { platform = ownPlatform, isCodedAhead = false }: CompileOptions = {},
): Promise<void> {
  if (!isPlatform(platform)) throw new Error(`there are no binaries for ${platform}`)
  const executablePath = await runtimeOf(platform)
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-binary-'))
  try {
    const assets = await writeAssets(program, dir, isCodedAhead)
    await Bun.build({
      entrypoints: programs[program].map((name) => join(root, 'src/main', name)),
      target: 'bun',
      format: 'esm',
      bytecode: true,
      env: 'disable',
      // Names stay: they are in stacks.
      minify: { syntax: true, whitespace: true },
      compile: {
        target: `bun-${platform}`,
        ...{ executablePath, outfile, assets },
        // Files of the folder that it runs in: `src/main/binary.ts` reads what counts.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
    })
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** What the program reads beside its modules; the paths. */
async function writeAssets(
  program: Program,
  dir: string,
  isCodedAhead: boolean,
): Promise<string[]> {
  const notices = join(dir, noticesFile)
  await writeFile(notices, await noticesOfProduction())
  if (program === 'sitehost') return [notices]
  const webApp = join(dir, 'web-app')
  const app = await buildWebApp(false)
  await writeFile(webApp, serialize(isCodedAhead ? await withCodings(app) : app))
  return [notices, webApp]
}

const codedBefore = new Map<string, CodedBytes>()

/** Also for the next platform. */
async function withCodings(app: WebApp): Promise<WebApp> {
  const files = app.files.map(async (file): Promise<FileOfApp> => {
    if (!isText(file.contentType)) return file
    const coded = codedBefore.get(file.path) ?? (await codedText(file.bytes))
    codedBefore.set(file.path, coded)
    return { ...file, coded }
  })
  return { ...app, files: await Promise.all(files) }
}

interface Lockfile {
  readonly version: string
  readonly packages: Readonly<
    Record<string, { readonly dev?: true; readonly integrity?: string; readonly optional?: true }>
  >
}

const readLockfile = async (): Promise<Lockfile> =>
  JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))

/** Of every package that the service is installed with, and of the runtime. */
export async function noticesOfProduction(): Promise<string> {
  const { packages } = await readLockfile()
  const production = Object.entries(packages).filter(
    ([path, { dev, optional }]) => path !== '' && dev !== true && optional !== true,
  )
  return `${await noticesOf(production.map(([path]) => path))}
The runtime in it is Bun (MIT), which contains JavaScriptCore (LGPL-2.1): https://bun.com/docs/project/licensing
`
}

/** This process's own, or that which the lock file names, from npm. */
async function runtimeOf(platform: Platform): Promise<string> {
  if (platform === ownPlatform) return process.execPath
  const name = `@oven/${runtimes[platform]}`
  const { integrity = '' } = (await readLockfile()).packages[`node_modules/${name}`] ?? {}
  const kept = join(root, 'node_modules/.cache/sitehost-runtimes', `${name}-${Bun.version}`)
  const program = join(kept, 'package/bin', platform.startsWith('windows') ? 'bun.exe' : 'bun')
  if (await Bun.file(program).exists()) return program
  const temporary = `${kept}.${crypto.randomUUID()}`
  await mkdir(temporary, { recursive: true })
  try {
    await run(['npm', 'pack', '--silent', `${name}@${Bun.version}`], temporary)
    const [packed = ''] = await Array.fromAsync(new Bun.Glob('*.tgz').scan(temporary))
    const hash = createHash('sha512').update(await readFile(join(temporary, packed)))
    if (`sha512-${hash.digest('base64')}` !== integrity) {
      throw new Error(`${name} is not what package-lock.json names`)
    }
    await run(['tar', '-xzf', packed], temporary)
    await rename(temporary, kept)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  return program
}

async function run(cmd: string[], cwd: string): Promise<void> {
  const exitCode = await Bun.spawn(cmd, { cwd, stdout: 'ignore' }).exited
  if (exitCode !== 0) throw new Error(`${cmd.join(' ')}: exit code ${exitCode}`)
}

/** As it is called in a release. */
const fileOf = (program: Program, platform: string): string =>
  `${program}-${platform}${platform.startsWith('windows') ? '.exe' : ''}`

if (import.meta.main) {
  const named = process.argv.slice(2)
  const platforms = named.includes('all') ? Object.keys(runtimes) : named
  const dir = join(root, 'dist/binaries')
  await mkdir(dir, { recursive: true })
  for (const platform of platforms.length === 0 ? [ownPlatform] : platforms) {
    for (const program of ['sitehost', 'sitehost-service'] as const) {
      const file = join(dir, fileOf(program, platform))
      await compileBinary(program, file, { platform, isCodedAhead: true })
      await chmod(file, 0o755)
      console.log(`${file}: ${Math.round(Bun.file(file).size / 1e6)} MB`)
    }
  }
}
