import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { siteLabel } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { deleteRecord, type PdsAccount, putRecord, uploadBlob } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorldOfAlice, type World } from './support/world.ts'

// Records written to the account's server by another program, without a line of our publishing code.

let world: World
let alice: AppClient
let repo: PdsAccount
beforeAll(async () => {
  ;({ world, alice, repo } = await startWorldOfAlice())
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

test('goes live through the firehose', async () => {
  await writeSite('foreign', { 'index.html': '<h1>from elsewhere</h1>' })
  await eventually(async () => expect(await visit('foreign', '/')).toBe('<h1>from elsewhere</h1>'))
})

test('a change and a removal are seen too', async () => {
  await writeSite('changing', { 'index.html': 'one' })
  await eventually(async () => expect(await visit('changing', '/')).toBe('one'))
  await writeSite('changing', { 'index.html': 'two' })
  await eventually(async () => expect(await visit('changing', '/')).toBe('two'))
  await deleteRecord(repo, 'place.sitehost.fs', 'changing')
  await eventually(async () => expect(await visit('changing', '/')).toBe(404))
})

test('what was written while the service was down is there after its start', async () => {
  await writeSite('offline', { 'index.html': 'before' })
  await eventually(async () => expect(await visit('offline', '/')).toBe('before'))
  await world.restart({}, () => writeSite('offline', { 'index.html': 'meanwhile' }))
  await eventually(async () => expect(await visit('offline', '/')).toBe('meanwhile'))
})

test('nodes without $type and compressed blobs are read', async () => {
  const page = '<h1>compressed</h1>'.repeat(50)
  const blob = await uploadBlob(repo, gzipSync(page).toString('base64'))
  await putRecord(repo, 'place.sitehost.fs', 'compressed', {
    $type: 'place.sitehost.fs',
    site: 'compressed',
    root: {
      type: 'directory',
      entries: [
        {
          name: 'index.html',
          node: { type: 'file', blob, encoding: 'gzip', base64: true, mimeType: 'text/html' },
        },
      ],
    },
    createdAt: new Date().toISOString(),
  })
  await eventually(async () => expect(await visit('compressed', '/')).toBe(page))
})

test('bytes that are not what the manifest says are refused, and the old version stays', async () => {
  await writeSite('guarded', { 'index.html': 'good' })
  await eventually(async () => expect(await visit('guarded', '/')).toBe('good'))
  const lie = await uploadBlob(repo, 'this is no gzip stream')
  await putRecord(repo, 'place.sitehost.fs', 'guarded', {
    ...manifest('guarded'),
    root: {
      type: 'directory',
      entries: [{ name: 'index.html', node: { type: 'file', blob: lie, encoding: 'gzip' } }],
    },
  })
  await eventually(async () => {
    expect(await problems('guarded')).toEqual([
      '"index.html" is not the gzip stream that the manifest says',
    ])
  })
  expect(await visit('guarded', '/')).toBe('good')
})

const manifest = (site: string) => ({
  $type: 'place.sitehost.fs',
  site,
  createdAt: new Date().toISOString(),
})

async function writeSite(site: string, files: Record<string, string>): Promise<void> {
  const entries = []
  for (const [name, content] of Object.entries(files)) {
    const blob = await uploadBlob(repo, content, 'text/html')
    entries.push({ name, node: { type: 'file', blob, mimeType: 'text/html' } })
  }
  await putRecord(repo, 'place.sitehost.fs', site, {
    ...manifest(site),
    root: { type: 'directory', entries },
  })
}

/** The body of a page, or its status when that is not 200. */
async function visit(site: string, path: string): Promise<string | number> {
  const name = parseSiteName(site)
  if (name === null) throw new Error(`bad site name ${site}`)
  const label = siteLabel({ did: repo.did as `did:plc:${string}`, name })
  const url = new URL(path, world.app)
  url.hostname = `${label}.localhost`
  const response = await fetch(url)
  const body = await response.text()
  return response.status === 200 ? body : response.status
}

async function problems(site: string): Promise<unknown> {
  const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as {
    sites: { rkey: string; problems: string[] }[]
  }
  return sites.find(({ rkey }) => rkey === site)?.problems
}
