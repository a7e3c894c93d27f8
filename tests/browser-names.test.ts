import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage } from '#tests/support/browser/browser-page.ts'
import { signInAndAuthorize } from '#tests/support/browser/chromium-consent.ts'
import { startWorld, type World } from './support/world.ts'

describe.skipIf(!hasBrowser)('a person who deletes the account', () => {
  let world: World
  let browser: Browser
  let url: string
  let page: Page
  let problems: readonly string[]

  beforeAll(async () => {
    world = await startWorld()
    const alice = await world.signedIn('alice.test')
    const result = await alice.publish('my-site', [
      { path: 'index.html', body: new Blob(['<!doctype html><h1>My site</h1>']) },
    ])
    url = String(result['url'])
    browser = await startBrowser()
    ;({ page, problems } = await openPage(browser, world.app))
    await page.goto(world.app)
    await page.getByLabel('Your handle').fill('alice.test')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass' })
    await page.waitForURL(`${world.app}/editor`)
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const told = (text: string) => page.getByRole('status').getByText(text).waitFor()
  test('exports everything as a file, and deletes the account', async () => {
    await page.getByRole('button', { name: 'Account: alice.test' }).click()
    await page.getByRole('link', { name: 'Account', exact: true }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download everything' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^sitehost-alice\.test-\d{4}-\d\d-\d\d\.json$/)
    const exported = (await Bun.file(await download.path()).json()) as Record<string, unknown>
    expect(exported['complete']).toBe(true)

    await page.getByLabel('Also delete my sites from my account').check()
    await page.getByRole('button', { name: 'Delete your data here' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('your sites and settings in your account').waitFor()
    await dialog.getByLabel('Type alice.test to confirm').fill('alice.test')
    await dialog.getByRole('button', { name: 'Delete everything' }).click()
    // Good news, and nothing that somebody has to mend.
    await told('Your data here is deleted.')
    expect(await page.getByRole('alert').count()).toBe(0)
    expect((await fetch(url)).status).toBe(404)
    await page.goto(`${world.app}/editor`)
    // Whoever left on purpose is not told that something has ended.
    await page.getByText('Sign in to continue').waitFor()
  }, 120_000)

  test('no page broke its own policy or threw', () => {
    expect(problems).toEqual([])
  })
})
