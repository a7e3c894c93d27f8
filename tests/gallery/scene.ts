import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { AppClient } from '../../devnet/app-client.ts'
import { textFile } from '../support/upload-files.ts'
import { startWorld, type World } from '../support/world.ts'

/** Who looks at a state: with a few sites, with many, with none, or nobody. */
export type Viewer = 'alice' | 'bob' | 'carol' | 'nobody'

/** A real network with accounts and sites, for the states to be shown in. */
export interface Scene extends AsyncDisposable {
  readonly world: World
  readonly clients: Readonly<Record<Viewer, AppClient>>
  /** Address of alice's site `blog`. */
  readonly blog: string
  /** A folder to choose. */
  readonly folder: string
}

/** What a state is made with. */
export interface Shown extends Omit<Scene, keyof AsyncDisposable> {
  readonly page: Page
}

const manySites = 50

export async function openScene(): Promise<Scene> {
  const world = await startWorld({ canFail: true })
  const [alice, bob, carol] = [
    await world.signedIn('alice.test'),
    await world.signedIn('bob.test'),
    await world.signedIn('carol.test'),
  ]
  const blog = String((await alice.publish('blog', filesOf('Blog')))['url'])
  await alice.publish('blog', [...filesOf('Blog, again'), textFile('about.html', 'Me')])
  await alice.publish('portfolio', [
    page('Portfolio'),
    textFile('_redirects', '/wrong /somewhere 999\n/also wrong\n'),
  ])
  await saveSettings(alice, 'blog', { directoryListing: true })
  for (let n = 1; n <= manySites; n++) await bob.publish(`site-${n}`, filesOf(`Site ${n}`))
  const folder = await mkdtemp(join(tmpdir(), 'sitehost-gallery-'))
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Garden</title><h1>Garden')
  await mkdir(join(folder, 'img'))
  await writeFile(join(folder, 'img/a.txt'), 'a')
  return {
    world,
    clients: { alice, bob, carol, nobody: world.client() },
    blog,
    folder,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true })
      await world[Symbol.asyncDispose]()
    },
  }
}

const page = (title: string) =>
  textFile('index.html', `<!doctype html><title>${title}</title><h1>${title}</h1>`)

const filesOf = (title: string) => [
  page(title),
  textFile('img/a.txt', 'a'),
  textFile('img/موقعي.txt', 'b'),
  textFile('_redirects', '/gone 410\n/blocked 451\n'),
]

async function saveSettings(client: AppClient, site: string, settings: object): Promise<void> {
  const answer = await client.fetch(`/api/site/${site}/settings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  })
  if (!answer.ok) throw new Error(`settings of ${site}: ${answer.status}`)
}
