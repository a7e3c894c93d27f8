import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage } from '#tests/support/browser/browser-page.ts'
import { signInAndAuthorize } from '#tests/support/browser/chromium-consent.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startWorld, type World } from '#tests/support/world.ts'

describe.skipIf(!hasBrowser)('a drop in a browser whose pages cannot write files', () => {
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

  const open = async (...missing: (() => void)[]) => {
    const opened = await openPage(browser, world.app)
    for (const remove of missing) await opened.page.addInitScript(remove)
    await opened.page.goto(world.app)
    await opened.page.waitForFunction(() => document.title.includes(' · '))
    await opened.page.getByLabel('Choose a folder').setInputFiles(folder)
    await opened.page.getByText('Garden', { exact: true }).waitFor()
    return opened
  }

  test.each([
    ['Safari before 26', noWriting, 'alice.test'],
    ['a private window', noFolder, 'bob.test'],
  ])('%s: is kept over a reload and the sign-in, until it is live', async (_, remove, handle) => {
    const { page, problems } = await open(remove)
    await page.getByText('stays in this browser').waitFor()
    expect(await keptNames(page)).toEqual(['dropped', 'dropped.json'])
    await page.reload()
    await page.getByText('You chose this earlier').waitFor()
    await page.getByLabel('Your handle').fill(handle)
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

  test('is gone when it is removed', async () => {
    const { page } = await open(noWriting)
    await page.getByText('stays in this browser').waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    await eventually(async () => expect(await keptNames(page)).toEqual([]))
    await page.reload()
    await page.getByRole('group', { name: 'Drop a folder here' }).waitFor()
    await page.context().close()
  })

  test('is not kept where there is no database either, which is said', async () => {
    const { page, problems } = await open(noFolder, noDatabase)
    await page.getByText('Your browser does not keep files for this page.').waitFor()
    await page.reload()
    await page.getByRole('group', { name: 'Drop a folder here' }).waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })
})

function noWriting() {
  Reflect.deleteProperty(FileSystemFileHandle.prototype, 'createWritable')
}

function noFolder() {
  StorageManager.prototype.getDirectory = () =>
    Promise.reject(new DOMException('', 'SecurityError'))
}

function noDatabase() {
  IDBFactory.prototype.open = () => {
    throw new DOMException('', 'SecurityError')
  }
}

const keptNames = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<IDBValidKey[]>((resolve, reject) => {
        const opening = indexedDB.open('dropped')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const names = opening.result.transaction('files').objectStore('files').getAllKeys()
          names.onerror = () => reject(names.error)
          names.onsuccess = () => resolve(names.result)
        }
      }),
  )
