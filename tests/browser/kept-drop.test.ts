import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage } from '#tests/support/browser/browser-page.ts'
import { signInAndAuthorize } from '#tests/support/browser/chromium-consent.ts'
import { keptNames } from '#tests/support/browser/kept-names.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startWorld, type World } from '#tests/support/world.ts'

describe.skipIf(!hasBrowser)('a drop in a browser that keeps little', () => {
  let world: World
  let browser: Browser
  let folder: string

  beforeAll(async () => {
    world = await startWorld()
    browser = await startBrowser()
    folder = await mkdtemp(join(tmpdir(), 'sitehost-kept-'))
    await writeFile(join(folder, 'index.html'), '<title>Garden</title><h1>Garden')
    await writeFile(join(folder, 'style.css'), 'h1 { color: green }')
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const open = async (without: () => void) => {
    const opened = await openPage(browser, world.app)
    await opened.page.addInitScript(without)
    await opened.page.goto(world.app)
    await opened.page.waitForFunction(() => document.title.includes(' · '))
    await opened.page.getByLabel('Choose a folder').setInputFiles(folder)
    await opened.page.getByText('Garden', { exact: true }).waitFor()
    return opened
  }

  test('is kept in a private window of Safari over a reload and the sign-in, until it is live', async () => {
    const { page, problems } = await open(noBlobs)
    await page.getByText('stays in this browser').waitFor()
    expect(await keptNames(page)).toEqual(['content', 'index'])
    await page.reload()
    await page.getByText('You chose this earlier').waitFor()
    await page.getByLabel('Your handle').fill('alice.test')
    await page.getByRole('button', { name: 'Sign in and publish' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass' })
    await page.getByText('Your site is live').waitFor()
    const address = page.getByRole('link', { name: 'Open', exact: true })
    const html = await (await fetch((await address.getAttribute('href')) ?? '')).text()
    expect(html).toContain('Garden')
    await eventually(async () => expect(await keptNames(page)).toEqual([]))
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('holds up no sign-out where the database never opens', async () => {
    const { page } = await openPage(browser, world.app, {
      client: await world.signedIn('bob.test'),
    })
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest
    })
    await page.goto(`${world.app}/editor`)
    await page.getByRole('button', { name: 'Account: bob.test' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Your handle').waitFor({ timeout: 20_000 })
    await page.context().close()
  })

  test('is not kept where there is no database, which is said', async () => {
    const { page, problems } = await open(noDatabase)
    await page.getByText('Your browser does not keep files for this page.').waitFor()
    await page.reload()
    await page.getByRole('group', { name: 'Drop a folder here' }).waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })
})

/** As private windows of Safari do: https://bugs.webkit.org/show_bug.cgi?id=156347 */
function noBlobs() {
  const { put } = IDBObjectStore.prototype
  IDBObjectStore.prototype.put = function (value, key) {
    if (value instanceof Blob) throw new DOMException('', 'DataCloneError')
    return put.call(this, value, key)
  }
}

function noDatabase() {
  IDBFactory.prototype.open = () => {
    throw new DOMException('', 'SecurityError')
  }
}
