import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { chromiumPath } from '#tests/support/browser/browser.ts'
import { Person } from '#tests/support/browser/person.ts'
import { firefoxPath, openPuppeteerTab } from '#tests/support/browser/puppeteer-tab.ts'
import { type Engine, engines, type Tab } from '#tests/support/browser/tab.ts'
import {
  miniBrowserPath,
  openWebkitTab,
  webkitPrograms,
} from '#tests/support/browser/webkit-tab.ts'
import { eventually } from '#tests/support/eventually.ts'
import { zipOf } from '#tests/support/hostile/archives.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { available, programPath } from '#tests/support/require.ts'
import { startWorld, type World } from '#tests/support/world.ts'
import { consentOverHttp } from '../devnet/consent.ts'

// What a person does, and what a visitor gets, in the engines of all browsers.

const isInstalled: Readonly<Record<Engine, () => boolean>> = {
  chromium: () => chromiumPath !== null,
  firefox: () => firefoxPath !== null,
  webkit: () =>
    webkitPrograms.every((name) => programPath(name) !== null) && miniBrowserPath() !== null,
}

const people: Readonly<Record<Engine, string>> = {
  chromium: 'alice',
  firefox: 'bob',
  webkit: 'carol',
}

/** Those that each engine takes over plain http: WebKitGTK takes br over HTTPS alone, and no zstd. */
const codings: Readonly<Record<Engine, readonly string[]>> = {
  chromium: ['br', 'zstd', 'gzip'],
  firefox: ['br', 'zstd', 'gzip'],
  webkit: ['gzip'],
}

let opened: Promise<World> | undefined
afterAll(async () => (await opened)?.[Symbol.asyncDispose]())

for (const engine of engines) {
  const isHere = await available(`the pages in ${engine}`, async () => {
    if (!isInstalled[engine]()) throw new Error(`${engine} is not installed`)
  })

  describe.skipIf(!isHere)(`in ${engine}`, () => {
    const handle = `${people[engine]}.test`
    let world: World
    let tab: Tab
    let person: Person
    let url: string

    beforeAll(async () => {
      opened ??= startWorld()
      world = await opened
      tab = engine === 'webkit' ? await openWebkitTab() : await openPuppeteerTab(engine)
      person = new Person(tab)
    })
    afterAll(() => tab[Symbol.asyncDispose]())

    const open = async (path: string) => {
      await tab.goto(new URL(path, world.app).href)
      // The script has drawn it.
      await eventually(async () => expect(await tab.run(() => document.title)).toContain(' · '))
    }
    const visit = async (path = '') => await (await fetch(url + path)).text()

    test('a zip is handed over, kept over the sign-in, and published', async () => {
      await open('/')
      const html = '<title>Garden</title><h1>Garden</h1>'
      const zip = zipOf([
        { name: 'garden/index.html', content: html },
        { name: 'garden/more.txt', content: 'more' },
      ])
      const file = { path: 'garden.zip', content: zip }
      // A real drop in Chromium is in `browser/start.test.ts`.
      if (engine === 'firefox') await person.drops(file)
      else await person.chooses('Choose files or a zip', file)
      await person.sees('stays in this browser')
      await (engine === 'webkit' ? signInOverHttp(tab, person, handle) : signIn(person, handle))
      await person.sees('Your site is live')
      url = await person.addressOf('Open')
      expect(await visit()).toBe(html)
    })

    test('a folder is its next version', async () => {
      await open('/sites/garden')
      await person.press('Update')
      await person.chooses(
        'Choose a folder',
        { path: 'new/index.html', content: '<h1>Second' },
        { path: 'new/notes/a.txt', content: 'a' },
      )
      await person.sees('garden is updated. Live for visitors now.')
      expect([await visit(), await visit('notes/a.txt')]).toEqual(['<h1>Second', 'a'])
    })

    test('a file is edited', async () => {
      await open('/sites/garden/files')
      await person.press('index.html')
      await person.fill('Content of index.html', '<h1>Third')
      await person.press('Publish changes')
      await person.sees('index.html is live for visitors now.')
      expect(await visit()).toBe('<h1>Third')
    })

    test('an earlier version is restored', async () => {
      await open('/sites/garden/versions')
      await person.press('Restore')
      await person.sees('garden is back at this version.')
      expect(await visit()).toBe('<h1>Second')
    })

    test('an address is claimed', async () => {
      await open('/sites/garden/domains')
      await person.fill('Address', `${engine}-garden`)
      await person.sees(`${engine}-garden.localhost is free.`)
      await person.press('Get it')
      await person.sees(`${engine}-garden.localhost shows your site now.`)
    })

    test('a setting is changed', async () => {
      await open('/sites/garden/settings')
      await person.press('Without .html')
      await person.press('Save changes')
      await person.sees('Saved. Live for visitors now.')
    })

    test('the person signs out', async () => {
      await open('/editor')
      await person.press(`Account: ${handle}`)
      await person.press('Sign out')
      await person.sees('Your handle')
    })

    test('a visitor gets a service worker, ranges of a video, codings and a policy', async () => {
      const owner = await world.signedIn(handle)
      const { url } = await owner.publish('visited', visitedFiles)
      await tab.goto(String(url))
      expect(await tab.run(() => document.title)).toBe('')
      await eventually(async () => expect(await tab.run(bodyOf, 'worked')).toBe('from the worker'))
      expect(await tab.run(bodyOf, 'long.txt')).toBe(longText)
      expect(await tab.run(partOf, 'video.webm')).toBe('206 bytes 0-1/94231 2')
      expect(await tab.run(seekIn)).toBe('3 s, at 2 s')
    })

    test.each(codings[engine])('a visitor reads what is coded in %s', async (coding) => {
      const owner = await world.signedIn(handle)
      const { url } = await owner.publish('coded', [textFile('long.txt', longText)])
      await using front = startFront(new URL(String(url)), coding)
      await tab.goto(`${front.url}long.txt`)
      await eventually(async () => {
        expect(await tab.run(fieldOf, 'long.txt', 'content-encoding')).toBe(coding)
      })
      expect(await tab.run(bodyOf, 'long.txt')).toBe(longText)
    })
  })
}

/** From the form of the start page, on the pages of the account’s own server. */
async function signIn(person: Person, handle: string): Promise<void> {
  await person.fill('Your handle', handle)
  await person.press('Sign in and publish')
  await person.fill('Password', 'hunter2pass')
  await person.press('Sign in')
  await person.press('Authorize')
}

/**
 * The same where that server’s pages do not work: in WebKitGTK over plain http. The server knows who opened its page first,
 * so the browser must not get there: it learns an address of its own in place of the server’s.
 */
async function signInOverHttp(tab: Tab, person: Person, handle: string): Promise<void> {
  await tab.run(holdSignIn)
  await person.fill('Your handle', handle)
  await person.press('Sign in and publish')
  const address = await eventually(async () => {
    const held = await tab.run(() => document.documentElement.dataset['signIn'])
    return new URL(held ?? '')
  })
  await tab.goto(String(await consentOverHttp(address, handle, 'hunter2pass')))
}

/** A front of the site that passes on one coding of those that the browser takes: the site prefers br to zstd. */
function startFront(site: URL, coding: string): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ headers, url }) {
      const taken = headers.get('accept-encoding') ?? ''
      if (!taken.includes(coding)) return new Response(`only ${taken}`, { status: 406 })
      const asked = { headers: { 'accept-encoding': coding }, decompress: false }
      return await fetch(new URL(new URL(url).pathname, site), asked)
    },
  })
}

const longText = 'A long text, which is sent compressed.\n'.repeat(2_000)

const visitedFiles = [
  textFile('_headers', "/*\n  Content-Security-Policy: script-src 'self'\n"),
  textFile(
    'index.html',
    `<!doctype html><script>document.title = 'allowed'</script>
    <script src="start.js"></script><video src="video.webm" muted></video>`,
  ),
  textFile('start.js', "navigator.serviceWorker.register('worker.js')"),
  textFile(
    'worker.js',
    `addEventListener('activate', (event) => event.waitUntil(clients.claim()))
    addEventListener('fetch', (event) => {
      if (event.request.url.endsWith('/worked')) event.respondWith(new Response('from the worker'))
    })`,
  ),
  textFile('long.txt', longText),
  { path: 'video.webm', body: Bun.file(join(import.meta.dir, 'support/browser/video.webm')) },
]

// Functions below run in the page, and cannot share code.

function holdSignIn(): void {
  const send = fetch
  globalThis.fetch = Object.assign(async (...request: Parameters<typeof fetch>) => {
    const answer = await send(...request)
    if (!answer.url.endsWith('/api/auth/signin')) return answer
    const { url } = (await answer.json()) as { url: string }
    document.documentElement.dataset['signIn'] = url
    return Response.json({ url: '#' })
  }, send)
}

const bodyOf = async (path: string) => await (await fetch(path, { cache: 'no-store' })).text()

const fieldOf = async (path: string, name: string) =>
  (await fetch(path, { cache: 'no-store' })).headers.get(name) ?? ''

async function partOf(path: string): Promise<string> {
  const headers = { range: 'bytes=0-1' }
  const answer = await fetch(path, { headers, cache: 'no-store' })
  const { size } = await answer.blob()
  return `${answer.status} ${answer.headers.get('content-range')} ${size}`
}

function seekIn(): Promise<string> {
  const video = document.querySelector('video')
  if (video === null) throw new Error('no video')
  return new Promise((resolve, reject) => {
    video.onerror = () => reject(new Error(video.error?.message))
    video.onseeked = () => resolve(`${Math.round(video.duration)} s, at ${video.currentTime} s`)
    video.onloadedmetadata = () => {
      video.currentTime = 2
    }
    video.load()
  })
}
