import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { startWorld, type World } from '../support/world.ts'

describe.skipIf(!hasBrowser)('who may deploy a site from CI, on its settings', () => {
  let world: World
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    world = await startWorld()
    const alice = await world.signedIn('alice.test')
    await alice.publish('blog', [{ path: 'index.html', body: new Blob(['<!doctype html>blog']) }])
    browser = await startBrowser()
    page = (await openPage(browser, world.app, { client: alice })).page
    await page.goto('/sites/blog/settings')
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('a token is shown once, works, and ends when it is revoked', async () => {
    await button('Create token').click()
    await page.getByText('Enter where it is used.').waitFor()
    await page.getByLabel('Where it is used').fill('tangled')
    await button('Create token').click()
    const secret = String(await page.locator('code', { hasText: 'shd_' }).textContent())
    await page.getByText('tangled', { exact: true }).waitFor()
    const begin = async () => {
      const headers = { authorization: `Bearer ${secret}` }
      const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
      const body = JSON.stringify({ files: [{ path: 'index.html', sha256, size: 0 }] })
      const url = `${world.app}/api/site/blog/deploys`
      return (await fetch(url, { method: 'POST', headers, body })).status
    }
    expect(await begin()).toBe(200)
    expect(await violationsOf(page)).toEqual([])
    await page.reload()
    await page.getByText('tangled', { exact: true }).waitFor()
    expect(await page.getByText(secret).count()).toBe(0)
    await button('Revoke tangled').click()
    await button('Revoke token').click()
    await page.getByText('No tokens yet.').waitFor()
    expect(await begin()).toBe(401)
  }, 60_000)

  test('a repository is added and removed', async () => {
    await page.getByLabel('Repository', { exact: true }).fill('https://github.com/alice/site')
    await page.getByLabel('Branch', { exact: true }).fill('')
    await button('Add repository').click()
    await page.getByText('Enter the branch that publishes, such as main.').waitFor()
    await page.getByLabel('Branch', { exact: true }).fill('main')
    await button('Add repository').click()
    await page.getByText('GitHub · main').waitFor()
    await button('Remove alice/site').click()
    await button('Remove repository').click()
    await page.getByText('No repository may deploy yet.').waitFor()
  }, 60_000)
})
