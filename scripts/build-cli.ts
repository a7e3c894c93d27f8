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
  /** Those of them that run before a command does. */
  readonly startInputs: string[]
}

type Bundle = Pick<CliBundle, 'code' | 'inputs'>

/**
 * The argument table, and all that commands need as a string in the same file: Node parses the whole of a module before it runs
 * any of it, which takes longer than `--help` itself.
 */
export async function bundleCli(): Promise<CliBundle> {
  const names = new Set<string>()
  const start = await bundled(join(root, 'src/main/site-owner-cli.ts'), 'esm', keepImports(names))
  const commands = await bundled(commandsEntry, 'cjs', commandModules(names))
  const code = start.code.replaceAll(/\bimport\("late:([^"]+)"\)/g, 'commandModule("$1")')
  const inputs = commands.inputs.filter((path) => !path.endsWith(commandsEntry))
  return {
    code: asciiOf(`#!/usr/bin/env node\n${code}\n${commandLoader(commands.code)}`),
    inputs: [...new Set([...start.inputs, ...inputs])],
    startInputs: start.inputs,
  }
}

async function bundled(entry: string, format: 'esm' | 'cjs', plugin: BunPlugin): Promise<Bundle> {
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'node',
    format,
    minify: true,
    metafile: true,
    plugins: [curveOfAllRuntimes, withoutValidator, plugin],
  })
  const [output] = built.outputs
  if (output === undefined) throw new Error('the bundle has no output')
  return { code: await output.text(), inputs: Object.keys(built.metafile?.inputs ?? {}) }
}

/** Leaves each `import()` where it is, and collects their names. */
const keepImports = (names: Set<string>): BunPlugin => ({
  name: 'keep-imports',
  setup(build) {
    build.onResolve({ filter: /^#/ }, ({ kind, path }) => {
      if (kind !== 'dynamic-import') return undefined
      names.add(path)
      return { path: `late:${path}`, external: true }
    })
  },
})

const commandsEntry = 'sitehost:commands'

/** A module that has a function for each of these names, which imports it. */
const commandModules = (names: ReadonlySet<string>): BunPlugin => ({
  name: 'command-modules',
  setup(build) {
    build.onResolve({ filter: /^sitehost:commands$/ }, ({ path }) => {
      return { path, namespace: 'sitehost' }
    })
    build.onLoad({ filter: /./, namespace: 'sitehost' }, () => {
      const lines = [...names].map((name) => `exports['${name}'] = () => import('${name}')`)
      return { contents: lines.join('\n'), resolveDir: root }
    })
  },
})

/** `commandModule`, of the text that is compiled when it is first called. */
function commandLoader(code: string): string {
  const text = `${code}\n//# sourceURL=sitehost-commands.js`
  const literal = text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')
  return `import { createRequire as requireHere } from 'node:module'
function commandModule(name) {
  if (commandModule.all === undefined) {
    commandModule.all = {}
    new Function('require', 'exports', commandText())(requireHere(import.meta.url), commandModule.all)
  }
  return commandModule.all[name]()
}
function commandText() { return '${literal}' }
`
}

/** Runtimes read ASCII with half the memory, and in less time. Outside of literals there is nothing else. */
const asciiOf = (code: string): string =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

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
