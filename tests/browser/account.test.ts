import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import {
  layoutShiftOf,
  type OpenedPage,
  openPage,
  violationsOf,
} from '#tests/support/browser/browser-page.ts'
import { startWorld, type World } from '../support/world.ts'

describe.skipIf(!hasBrowser)('the page of an account', () => {
  let world: World
  let browser: Browser
  let opened: OpenedPage
  let other: OpenedPage
  let page: Page

  beforeAll(async () => {
    world = await startWorld()
    const alice = await world.signedIn('alice.test')
    await alice.publish('blog', [{ path: 'index.html', body: new Blob(['x'.repeat(2048)]) }])
    browser = await startBrowser()
    opened = await openPage(browser, world.app, { client: alice })
    other = await openPage(browser, world.app, { client: await world.signedIn('alice.test') })
    page = opened.page
    await page.goto('/account')
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  test('says who one is, where the account lives, and what one uses of what one may', async () => {
    await page.getByText('@alice.test').waitFor()
    await page.getByText(/^did:plc:/).waitFor()
    await page.getByText(world.network.pds, { exact: true }).waitFor()
    const uses = page.getByRole('region', { name: 'What you use' })
    await uses.getByText('1 of 1,000').first().waitFor()
    await uses.getByText(/^2 kB of /).waitFor()
  }, 60_000)

  test('is accessible at both widths and in both themes, and nothing moves', async () => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto('/account')
        await page.getByText('This browser', { exact: true }).waitFor()
        expect([width, colorScheme, await violationsOf(page)]).toEqual([width, colorScheme, []])
      }
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
      expect(scrollWidth).toBe(clientWidth)
      expect(await layoutShiftOf(page)).toBeLessThanOrEqual(0.02)
    }
  }, 60_000)

  test('signs one browser out, which then has to sign in again', async () => {
    await other.page.goto('/editor')
    await other.page.getByRole('heading', { name: 'Your sites' }).waitFor()
    await page.getByRole('button', { name: 'Sign out Unknown browser' }).click()
    await page.getByText('is signed out.').first().waitFor()
    const buttons = page.getByRole('button', { name: /^Sign out / })
    await buttons.nth(2).waitFor({ state: 'detached' })
    expect(await buttons.count()).toBe(2)
    await other.page.reload()
    await other.page.getByLabel('Your handle').waitFor()
  }, 60_000)

  test('deletes everything only after the handle was typed, and with good news', async () => {
    await page.getByRole('button', { name: 'Delete your data here' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Your sites stay in your account.').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Also delete my sites from my account').check()
    await page.getByRole('button', { name: 'Delete your data here' }).click()
    await dialog.getByText('your sites and settings in your account').waitFor()
    await dialog.getByRole('button', { name: 'Delete everything' }).click()
    await dialog.getByRole('alert').getByText('That is not alice.test.').waitFor()
    await dialog.getByLabel('Type alice.test to confirm').fill('alice.test')
    await page.keyboard.press('Enter')
    await page.getByText('Your data here is deleted.').first().waitFor()
    // Nothing of the account stays in the tab.
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([])
  }, 60_000)

  test('signs out everywhere: in another tab and in another browser too', async () => {
    const [here, there] = [
      await openPage(browser, world.app, { client: await world.signedIn('bob.test') }),
      await openPage(browser, world.app, { client: await world.signedIn('bob.test') }),
    ]
    const tab = await here.page.context().newPage()
    for (const each of [tab, there.page]) {
      await each.goto('/editor')
      await each.getByRole('heading', { name: 'Your sites' }).waitFor()
    }
    await here.page.goto('/account')
    await here.page.getByRole('button', { name: 'Sign out everywhere' }).click()
    const dialog = here.page.getByRole('dialog')
    await dialog.getByText('This signs you out of 2 browsers, including this one').waitFor()
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
    for (const each of [here.page, tab, there.page]) {
      // Other tabs of the same browser leave with it.
      if (each === there.page) await each.reload()
      await each.getByLabel('Your handle').waitFor()
    }
  }, 60_000)

  test('no page broke its own policy or threw', () => {
    expect([opened.problems, other.problems]).toEqual([[], []])
  })
})
