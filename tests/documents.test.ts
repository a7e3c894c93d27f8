import { describe, expect, test } from 'bun:test'
import { exists } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deployRoutes } from '#api/contract/deploys.ts'
import { versionRoutes } from '#api/contract/versions.ts'
import { readConfig } from '#main/config/config.ts'
import { settings } from '#main/config/settings.ts'
import { siteOwnerSettings } from '#main/config/site-owner-config.ts'
import { codeBlocks } from './support/code-blocks.ts'

const root = join(import.meta.dir, '..')
const read = (path: string): Promise<string> => Bun.file(join(root, path)).text()
// Not docs/spec: it tells what is still to come too.
const documents = [
  '*.md',
  'docs/*.md',
  'docs/adr/*.md',
  'docs/upstream/*.md',
  'devnet/*.md',
].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])

/** What the documents call by a name like a setting's, and is none. */
const otherVariables =
  /^(?:TEST_DATABASE_URL|REQUIRE_ALL|(?:FUZZ|GARBAGE)_RUNS|MIMALLOC_PURGE_DELAY|ACTIONS_ID_TOKEN_REQUEST_(?:TOKEN|URL)|SITEHOST_(?:FOLDER|PREVIEW|PREVIEW_TOKEN|REMOVE|SITE|TOKEN|URL))$/

describe.each(documents)('%s', (document) => {
  test('names only settings that there are', async () => {
    const caddyfile = await read('deploy/Caddyfile')
    const installer = await read('deploy/install.sh')
    const named = (await read(document)).match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []
    const isThere = (name: string): boolean =>
      name in settings.shape ||
      name in siteOwnerSettings.shape ||
      otherVariables.test(name) ||
      caddyfile.includes(`{$${name}`) ||
      installer.includes(`\${${name}:-`)
    expect(named.filter((name) => !isThere(name))).toEqual([])
  })

  test('leads to what is there', async () => {
    const links = (await read(document)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)
    for (const [, path = '', anchor] of links) {
      const target = path === '' ? document : join(dirname(document), path)
      expect({ target, isThere: await exists(join(root, target)) }).toEqual({
        target,
        isThere: true,
      })
      if (anchor !== undefined) expect(await anchorsOf(target)).toContain(anchor)
    }
  })
})

test('what operating.md sets is a block of its own, which Sitehost takes', async () => {
  const set = blockOf(await read('docs/operating.md'), 'BASE_URL=')
  expect(set.filter((line) => !/^[A-Z0-9_]+=\S+$/.test(line))).toEqual([])
  // Account servers sign nobody in to .example.
  const values = set.map((line) => line.replace('.example', '.net').split('='))
  expect(readConfig({}, Object.fromEntries(values))).toMatchObject({
    origin: 'https://sitehost.net',
    baseDomain: 'sites.net',
  })
})

test('the table of contents of operating.md has every section', async () => {
  const [contents = ''] = (await read('docs/operating.md')).split('\n## ')
  const listed = [...contents.matchAll(/^ *- \[(.*)\]\(#(.*)\)$/gm)].map(([, , anchor]) => anchor)
  expect(listed).toEqual((await anchorsOf('docs/operating.md')).slice(1))
})

test('the zone of custom-domains.md is a block of its own', async () => {
  const [, , ...records] = blockOf(await read('docs/custom-domains.md'), '$ORIGIN')
  expect(records.filter((line) => !/^\S+ +(?:SOA|NS|A|TXT) +/.test(line))).toEqual([])
})

test('versions.md has a command for each route of versions and deploys', async () => {
  const commands = (await read('docs/versions.md')).match(/^ {4}curl .*$/gm) ?? []
  const calls = commands.map((command) => {
    const [, path = ''] = command.match(/127\.0\.0\.1:3000([^\s'?]*)/) ?? []
    return `${methodOf(command)} ${path}`
  })
  const asked = Object.values({ ...versionRoutes, ...deployRoutes }).map(({ method, path }) =>
    `${method} ${path}`.replaceAll(/:\w+/g, '*'),
  )
  const isCalled = (route: string) => calls.some((call) => new Bun.Glob(route).match(call))
  expect(asked.filter((route) => !isCalled(route))).toEqual([])
})

/** What curl sends without being told, or as it is. */
function methodOf(command: string): string {
  const [, method] = command.match(/--request (\w+)/) ?? []
  if (command.includes('--upload-file')) return 'PUT'
  return method ?? (command.includes('--json') ? 'POST' : 'GET')
}

/** The lines of the one code block that begins so. */
function blockOf(markdown: string, beginning: string): string[] {
  const [block, ...others] = codeBlocks(markdown).filter((text) => text.startsWith(beginning))
  expect(others).toEqual([])
  return block?.split('\n') ?? [`no block begins with ${beginning}`]
}

/** Its headings as GitHub addresses them. */
async function anchorsOf(document: string): Promise<string[]> {
  const headings = (await read(document)).matchAll(/^#+ (.*)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}
