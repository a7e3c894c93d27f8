import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createSession, getRecord, listRecords, type PdsAccount } from '#tests/support/accounts.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { runInProcess } from '#tests/support/processes/site-commands.ts'
import { startWorld, type World } from '#tests/support/world.ts'
import { chooseFiles } from '#web/publish/files/choose-files.ts'
import { pickedOf } from '#web/publish/files/picked-file.ts'
import { sendDeploy } from '#web/publish/send/send-deploy.ts'
import type { sendFile } from '#web/publish/send/send-file.ts'
import type { AppClient, UploadFile } from '../../devnet/app-client.ts'

// The page's own code, the form of the service and the command line publish the same folders, each for an account of its own and
// then over what another of them has written.

interface Owner {
  readonly repo: PdsAccount
  readonly password: string
  readonly client: AppClient
}

let dir: string
let world: World
let owners: readonly Owner[]
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'three-writers-'))
  world = await startWorld()
  owners = await Promise.all(
    world.network.accounts.slice(0, 3).map(async ({ handle, password }) => ({
      password,
      repo: await createSession(world.network.pds, handle, password),
      client: await world.signedIn(handle),
    })),
  )
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

type Tree = Readonly<Record<string, string>>

/** Publishes a folder as a site; returns how many files were sent. */
type Writer = (owner: Owner, site: string, tree: Tree) => Promise<number>

const byPage: Writer = async ({ client }, siteName, tree) => {
  const picked = filesOf(tree).map(({ path, body }) => pickedOf(path, body))
  const { files } = await chooseFiles(picked)
  let sent = 0
  const put: typeof sendFile = async ({ path, body, isGzipped }) => {
    const headers: Record<string, string> = isGzipped ? { 'content-encoding': 'gzip' } : {}
    const answer = await client.fetch(path, { method: 'PUT', body, headers })
    if (!answer.ok) throw new Error(await answer.text())
    sent += 1
  }
  const unseen = { onRead: () => {}, onSend: () => {}, onWait: () => {}, onBegun: () => {} }
  const { signal } = new AbortController()
  const jobId = await pageOf.run(client, () =>
    sendDeploy({ siteName, files }, { signal, ...unseen }, put),
  )
  await client.watch(jobId)
  return sent
}

/** Whose page it is: there, addresses are relative. */
const pageOf = new AsyncLocalStorage<AppClient>()

const byForm: Writer = async ({ client }, site, tree) => {
  const { jobId } = (await (await client.upload(site, filesOf(tree))).json()) as { jobId: string }
  const { result } = await client.watch(jobId)
  return Number(result?.['uploadedCount'])
}

const byCommandLine: Writer = async ({ client, password, repo }, site, tree) => {
  const folder = join(dir, crypto.randomUUID())
  for (const [path, text] of Object.entries(tree)) await Bun.write(join(folder, path), text)
  const environment = {
    SITEHOST_HANDLE: repo.handle,
    SITEHOST_APP_PASSWORD: password,
    PLC_URL: world.network.plc,
    HANDLE_RESOLVER_URL: world.network.pds,
    ALLOW_PRIVATE_HOSTS: '1',
  }
  const args = ['deploy', folder, '--site', site, '--json']
  const { code, complaints, said } = await runInProcess(args, { environment })
  if (code !== 0) throw new Error(complaints)
  const { cid, files } = JSON.parse(said.join(''))
  // The service knows which contents an account has once it has read the site.
  await client.untilVisible(site, { cid })
  return files.sent
}

const writers = [byPage, byForm, byCommandLine]

/** In one folder, as they are dropped. */
const filesOf = (tree: Tree): UploadFile[] =>
  Object.entries(tree).map(([path, text]) => ({ path: `site/${path}`, body: new Blob([text]) }))

/** Mostly what the account has already, in forms that compress and that do not: a tree may have many files and send few. */
const content = fc.oneof(
  { weight: 19, arbitrary: fc.nat(9).map((n) => `<p>${n}</p>`.repeat(1 + 40 * n)) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
)
const name = fc.constantFrom('a', 'b', 'c', 'index', 'x-1')
const path = fc
  .tuple(fc.array(name, { maxLength: 2 }), name, fc.constantFrom('.html', '.png', '.css'))
  .map(([folders, file, ending]) => [...folders, file + ending].join('/'))
/** Nothing is both a page and a picture. */
const treeOf = (sizes: { minKeys: number; maxKeys: number }) =>
  fc.dictionary(path, content, { ...sizes, size: 'max' }).map((contents): Tree => {
    const entries = Object.entries(contents)
    return Object.fromEntries(entries.map(([path, text]) => [path, path.slice(-4) + text]))
  })
/** So large that the version record of some has parts, and a change that leaves most parts as they are. */
const tree = treeOf({ minKeys: 1, maxKeys: 80 })
const change = treeOf({ minKeys: 1, maxKeys: 3 })
/** One that has parts, whatever the others are. */
const largest = () => fc.sample(fc.tuple(treeOf({ minKeys: 80, maxKeys: 80 }), change), 1)

const manifestOf = async ({ repo }: Owner, site: string) =>
  comparable(await getRecord(repo, 'place.sitehost.fs', site), () => null)

/** Of all sites, with their parts in them: the keys of parts depend on the account. */
async function historyOf({ repo }: Owner) {
  const [parts, versions] = await Promise.all([
    listRecords(repo, 'place.sitehost.subfs'),
    listRecords(repo, 'place.sitehost.version'),
  ])
  const byKey = new Map(parts.map(({ rkey, value }) => [rkey, value]))
  const named: string[] = []
  const partAt = (key: string): object => {
    named.push(key)
    return comparable(byKey.get(key), partAt)
  }
  return {
    versions: versions.map(({ value }) => comparable(value, partAt)),
    parts: parts.length,
    named: { total: named.length, distinct: new Set(named).size },
  }
}

/** A record without times, and without CIDs of records, which depend on them; parts in place of their addresses. */
function comparable(record: unknown, partAt: (key: string) => object | null): object {
  return JSON.parse(JSON.stringify(record), (field, value) => {
    if (field === 'createdAt' || field === 'manifest') return undefined
    return field === 'subject' ? partAt(value.slice(value.lastIndexOf('/') + 1)) : value
  })
}

/** Trees are long; the seed finds them again. */
function reporter({ counterexample, errorInstance, seed }: fc.RunDetails<[Tree, Tree]>): void {
  if (counterexample === null) return
  const paths = JSON.stringify(counterexample.map(Object.keys))
  throw new Error(`seed ${seed}: ${paths}`, { cause: errorInstance })
}

async function sameOfAll<Value extends object>(
  read: (owner: Owner) => Promise<Value>,
): Promise<Value> {
  const [first, ...others] = await Promise.all(owners.map(read))
  for (const other of others) expect<unknown>(other).toEqual(first)
  return first as Value
}

test('page, service and command line write the same records, read each other’s and share their parts', async () => {
  const { fetch } = globalThis
  using _ = spyOn(globalThis, 'fetch').mockImplementation(((address, init) => {
    const client = typeof address === 'string' && address.startsWith('/') && pageOf.getStore()
    return client ? client.fetch(String(address), init) : fetch(address, init)
  }) as typeof fetch)
  let sites = 0
  let last = { site: '', tree: {} as Tree }
  /** The next writer of an account is another one each time. */
  const publish = (turn: number, site: string, tree: Tree) =>
    Promise.all(owners.map((owner, at) => writers[(at + turn) % 3]?.(owner, site, tree)))
  const property = fc.asyncProperty(tree, change, async (first, change) => {
    const site = `site-${sites++}`
    const changed = { ...first, ...change }
    // Each is followed by each of the others.
    const [turn, next] = [sites % 3, sites + 1 + (sites % 2)]
    await publish(turn, site, first)
    await sameOfAll((owner) => manifestOf(owner, site))
    await publish(next, site, changed)
    await sameOfAll((owner) => manifestOf(owner, site))
    last = { site, tree: changed }
  })
  // Each has two trees.
  // On a network, each step towards a smaller example takes a second.
  const numRuns = fuzzRunsOf(6)
  await fc.assert(property, { numRuns, examples: largest(), endOnFailure: true, reporter })
  const written = await sameOfAll(historyOf)
  // All that there are, some of them by several versions.
  expect(written.named.distinct).toBe(written.parts)
  expect(written.named.total).toBeGreaterThan(written.parts)
  expect(await publish(2, last.site, last.tree)).toEqual([0, 0, 0])
  expect(await sameOfAll(historyOf)).toEqual(written)
})
