import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { siteFilesMax } from '#site/limits.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { startWorld, type World } from '../support/world.ts'

/** Who looks at a state: with a few sites, with many, with none, or nobody. */
export type Viewer = 'alice' | 'bob' | 'carol' | 'nobody'

/** A real network with accounts and sites, for the states to be shown in. */
export interface Scene extends AsyncDisposable {
  readonly world: World
  readonly clients: Readonly<Record<Viewer, AppClient>>
  /** Address of alice's site `blog`. */
  readonly blog: string
  readonly dns: DnsServer
  /** Folders to choose, by name; `garden` is a small site. */
  readonly folders: string
}

/** What a state is made with. */
export interface Shown extends Omit<Scene, keyof AsyncDisposable> {
  readonly page: Page
  /** Undoes what the state did to the network, once its pictures are taken. */
  readonly after: (undo: () => unknown) => void
}

const manySites = 50
const manyVersions = 20

export async function openScene(): Promise<Scene> {
  const dns = await startDnsServer({})
  const environment = {
    DNS_SERVERS: dns.address,
    COUNTRY_HEADER: 'CF-IPCountry',
    ALSO_SERVE: 'place.wisp',
  }
  const world = await startWorld({ canFail: true, environment })
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
  await saveSettings(bob, journal, { history: { keep: manyVersions + 1 } })
  for (let n = 1; n <= manyVersions; n++) await bob.publish(journal, filesOf(`Day ${n}`))
  const folders = await mkdtemp(join(tmpdir(), 'sitehost-gallery-'))
  await makeFolders(folders)
  return {
    world,
    clients: { alice, bob, carol, nobody: world.client() },
    blog,
    dns,
    folders,
    async [Symbol.asyncDispose]() {
      await rm(folders, { recursive: true, force: true })
      await world[Symbol.asyncDispose]()
      await dns[Symbol.asyncDispose]()
    },
  }
}

/** Bob's site with as many versions as one sees on a page. */
export const journal = `site-${manySites}`

async function makeFolders(root: string): Promise<void> {
  const write = async (path: string, content: string | Buffer) => {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  const title = '<!doctype html><title>Garden</title><h1>Garden</h1>'
  await write('garden/index.html', `${title}<p>What grows on a north balcony.`)
  await write('garden/style.css', 'body { font-family: system-ui; background: #f3f7ea }')
  await newPictures(root)
  await write('notes/about.html', '<!doctype html><title>Notes</title><h1>Notes</h1>')
  await write('notes/.git/HEAD', 'ref: refs/heads/main')
  await write('notes/.DS_Store', 'x')
  await write('broken/index.html', title)
  await write('broken/back\\slash.html', title)
  for (let n = 0; n <= siteFilesMax; n++) await write(`many/${n}.txt`, '')
}

/** Files of `garden` that no account has. */
export async function newPictures(folders: string): Promise<void> {
  const folder = join(folders, 'garden', 'img')
  await mkdir(folder, { recursive: true })
  for (let n = 1; n <= pictures; n++) {
    await writeFile(join(folder, `${n}.jpg`), randomBytes(pictureBytes))
  }
}

const pictures = 40
const pictureBytes = 20_000

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
