import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { bundleCli, noticesOf } from '../../scripts/build-cli.ts'

let bundle: Awaited<ReturnType<typeof bundleCli>>
beforeAll(async () => {
  bundle = await bundleCli()
})

const kB = 1000

test('the package is one file of at most 250 kB compressed, in which each library is once', () => {
  expect(Bun.gzipSync(bundle.code, { level: 9 }).length).toBeLessThan(250 * kB)
  const copies = (text: string) => bundle.code.split(text).length - 1
  expect([copies('Already connected to a transport'), copies('"$ZodArray"')]).toEqual([1, 1])
})

test('what runs before a command is the argument table: `--help` waits for nothing else', () => {
  const started = bundle.startInputs.filter((path) => !path.startsWith('src/cli/commands/'))
  expect(started.filter((path) => !path.startsWith('node_modules/commander/')).sort()).toEqual([
    'package.json',
    'src/cli/completion.ts',
    'src/cli/short-help.ts',
    'src/cli/site-program.ts',
    'src/cli/wrapped.ts',
    'src/main/process/end-process.ts',
    'src/main/site-owner-cli.ts',
  ])
  const parsedAtOnce = bundle.code.slice(0, bundle.code.indexOf('function commandText'))
  expect(parsedAtOnce.length).toBeLessThan(80 * kB)
  expect(bundle.code).toMatch(/^[\0-\x7f]*$/)
})

const own = () => bundle.inputs.filter((path) => path.startsWith('src/')).sort()
const roomOf = (path: string) => path.split('/')[1] ?? ''

test('it has what publishing shares, and nothing of the service', () => {
  const never = ['admin', 'api', 'domains', 'edge']
  expect(own().filter((path) => never.includes(roomOf(path)))).toEqual([])
  expect(own().filter((path) => ['blobs', 'store'].includes(roomOf(path)))).toEqual([
    'src/blobs/blob-store.ts',
    'src/store/database/database-unavailable.ts',
  ])
  // Reading with proof, as strictly: no database, no queue.
  expect(own().filter((path) => roomOf(path) === 'ingest')).toEqual([
    'src/ingest/blobs/gzip-header.ts',
    'src/ingest/blobs/gzip-member.ts',
    'src/ingest/blobs/strict-base64.ts',
    'src/ingest/blobs/undecodable-blob.ts',
    'src/ingest/read/read-files.ts',
    'src/ingest/read/read-rule-files.ts',
    'src/ingest/read/read-settings.ts',
    'src/ingest/read/read-site.ts',
  ])
  expect(own()).toContain('src/publish/publish-site.ts')
})

test('the licence of each package in it goes with it', async () => {
  const notices = await noticesOf(bundle.inputs)
  for (const name of [
    'commander',
    'zod',
    '@atcute/oauth-node-client',
    'core-js',
    'mime',
    '@modelcontextprotocol/sdk',
  ]) {
    expect(notices).toMatch(new RegExp(`^--- ${name} \\d.*\\(`, 'm'))
  }
  expect(notices).not.toContain('(undefined)')
  expect(notices).toContain('Permission is hereby granted')
})

test('nothing in it needs Bun', async () => {
  const needing: string[] = []
  for (const path of own()) {
    const text = await Bun.file(join(import.meta.dir, '../..', path)).text()
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    if (/(?<!globalThis\.)\bBun\.|\bfrom 'bun(:[a-z]+)?'|import\.meta\.dir\b/.test(code)) {
      needing.push(path)
    }
  }
  expect(needing).toEqual([])
  expect(bundle.code).not.toMatch(/["']bun(:[a-z]+)?["']/)
})

test('nothing of ours in it needs what Node 20 lacks and the package does not bring', async () => {
  const lacking =
    /\b(?:Array\.fromAsync|(?:Object|Map)\.groupBy|Promise\.try|RegExp\.escape|Error\.isError|Math\.sumPrecise|Iterator\.(?:concat|zip)|(?:Async)?DisposableStack)\b|\.(?:getOrInsert(?:Computed)?|(?:set)?(?:From|from|to)(?:Base64|Hex)|transfer|(?:symmetricD|d)ifference|is(?:DisjointFrom|SubsetOf|SupersetOf)|drop|take|toArray)\(/
  const needing = own().map(async (path) => {
    const found = lacking.exec(await Bun.file(join(import.meta.dir, '../..', path)).text())
    return found === null ? [] : [`${path}: ${found[0]}`]
  })
  expect((await Promise.all(needing)).flat()).toEqual([])
})
