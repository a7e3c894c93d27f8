// Packs the command line for site owners: `npm run build:cli` writes dist/sitehost-cli.tgz.

import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import project from '#package.json'

const root = join(import.meta.dir, '..')

interface CliBundle {
  /** One file for Node, Bun and Deno. */
  readonly code: string
  /** The modules that it contains, relative to the project. */
  readonly inputs: string[]
}

export async function bundleCli(): Promise<CliBundle> {
  const built = await Bun.build({
    entrypoints: [join(root, 'src/main/site-owner-cli.ts')],
    target: 'node',
    format: 'esm',
    minify: true,
    metafile: true,
    banner: '#!/usr/bin/env node',
    plugins: [curveOfAllRuntimes, withoutValidator],
  })
  const [output] = built.outputs
  if (output === undefined) throw new Error('the bundle has no output')
  return { code: await output.text(), inputs: Object.keys(built.metafile?.inputs ?? {}) }
}

/** MCP's SDK loads a validator that is half of it, also where it is given another one. */
const withoutValidator: BunPlugin = {
  name: 'without-validator',
  setup(build) {
    build.onLoad({ filter: /\/validation\/ajv-provider\.js$/ }, () => ({
      contents: 'export class AjvJsonSchemaValidator {}',
    }))
  },
}

/**
 * `@atcute/crypto` 2.4.4 has an implementation for each runtime; that for Node cannot export a compressed key (Node 20),
 * and Bun lacks what it calls.
 */
const curveOfAllRuntimes: BunPlugin = {
  name: 'curve-of-all-runtimes',
  setup(build) {
    build.onResolve({ filter: /^#keypairs\/secp256k1$/ }, ({ importer }) => {
      return { path: join(dirname(importer), 'keypairs/secp256k1-web.js') }
    })
  },
}

export const noticesFile = 'THIRD-PARTY-NOTICES.txt'

/** Names, versions and licences of the packages that these modules are from. */
export async function noticesOf(inputs: readonly string[]): Promise<string> {
  const packages = new Set(
    inputs.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []),
  )
  const notices = await Promise.all([...packages].sort().map(noticeOf))
  return `This program contains code of these packages.\n\n${notices.join('\n\n')}\n`
}

async function noticeOf(folder: string): Promise<string> {
  const { license, name, version } = await Bun.file(join(root, folder, 'package.json')).json()
  const file = (await readdir(join(root, folder))).find((each) => /^licen[cs]e/i.test(each))
  const text = file === undefined ? '' : await Bun.file(join(root, folder, file)).text()
  return `--- ${name} ${version} (${license})\n\n${text.trim()}`.trim()
}

/** Writes the package that `npm install` takes to `file`. */
export async function packCli(file: string): Promise<void> {
  const { code, inputs } = await bundleCli()
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-cli-'))
  try {
    await writeFile(join(dir, 'sitehost.js'), code)
    await chmod(join(dir, 'sitehost.js'), 0o755)
    await writeFile(join(dir, 'package.json'), JSON.stringify(manifest, null, 2))
    await copyFile(join(root, 'LICENSE'), join(dir, 'LICENSE'))
    await writeFile(join(dir, noticesFile), await noticesOf(inputs))
    await copyFile(join(root, 'docs/command-line.md'), join(dir, 'README.md'))
    const packing = Bun.spawn(['npm', 'pack', '--silent'], { cwd: dir, stdout: 'ignore' })
    if ((await packing.exited) !== 0) throw new Error('npm pack failed')
    const packed = (await readdir(dir)).find((name) => name.endsWith('.tgz')) ?? ''
    await rename(join(dir, packed), file)
  } finally {
    await rm(dir, { recursive: true })
  }
}

const { description, engines, license, version } = project
const manifest = {
  name: 'sitehost',
  version,
  description,
  license,
  type: 'module',
  engines,
  bin: { sitehost: 'sitehost.js' },
  files: ['sitehost.js', noticesFile],
}

if (import.meta.main) {
  const file = join(root, 'dist/sitehost-cli.tgz')
  await mkdir(join(root, 'dist'), { recursive: true })
  await packCli(file)
  console.log(`${file}: ${Math.round(Bun.file(file).size / 1024)} kB`)
}
