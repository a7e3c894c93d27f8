import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { signInAndAuthorize } from '#tests/support/browser/chromium-consent.ts'
import { startWorld, type World } from '../support/world.ts'

const password = 'hunter2pass'

describe.skipIf(!hasBrowser)('who is not signed in', () => {
  let world: World
  let browser: Browser

  beforeAll(async () => {
    world = await startWorld()
    browser = await startBrowser()
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  /** In a browser that has never been here. */
  async function open(path: string): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-US' })
    const page = await context.newPage()
    await page.goto(`${world.app}${path}`)
    return page
  }

  const signIn = async (page: Page, handle: string) => {
    // Before the script has drawn the page, its form is one without memory.
    await page.waitForFunction(() => document.title.includes(' · '))
    await page.getByLabel('Your handle').fill(handle)
    await page.locator('form').getByRole('button', { name: 'Sign in' }).click()
  }

  test('is asked to, in neutral words, and comes back to the page that was opened', async () => {
    const page = await open('/account?from=mail')
    await page.getByText('Sign in to continue.').waitFor()
    expect(await page.getByText('has ended').count()).toBe(0)
    expect(await page.getByText('This browser is too old').isVisible()).toBe(false)
    await signIn(page, 'alice.test')
    await signInAndAuthorize(page, { password })
    await page.waitForURL(`${world.app}/account?from=mail`)
    await page.getByRole('button', { name: 'Account: alice.test' }).waitFor()

    // What that page still asks for would be answered with 401, and lead away.
    await page.goto('about:blank')
    await page.context().clearCookies()
    await page.goto(`${world.app}/editor`)
    await page.getByText('Your sign-in has ended. Sign in again.').waitFor()
  }, 120_000)

  test('keeps the handle and the page after a denied consent', async () => {
    const page = await open('/sites/blog')
    await signIn(page, 'bob.test')
    await signInAndAuthorize(page, { password, reject: true })
    await page.waitForURL(`${world.app}/?error=auth_failed`)
    await page.getByText('nothing was changed').waitFor()
    expect(await page.getByLabel('Your handle').inputValue()).toBe('bob.test')
    await page.locator('form').getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password })
    await page.waitForURL(`${world.app}/sites/blog`)
  }, 120_000)

  test('keeps the handle and the page over the back button, and takes the address of a profile', async () => {
    const page = await open('/sites/blog')
    await signIn(page, 'https://bsky.app/profile/bob.test')
    await page.waitForURL(/\/oauth\/authorize\?/)
    await page.goBack()
    const field = page.getByLabel('Your handle')
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[name="handle"]')?.value,
    )
    expect(await field.inputValue()).toBe('https://bsky.app/profile/bob.test')
    await page.locator('form').getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password })
    await page.waitForURL(`${world.app}/sites/blog`)
  }, 120_000)

  test('reads the start page and signs in without scripts', async () => {
    const context = await browser.newContext({ locale: 'en-US', javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(world.app)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByText('This browser is too old').isVisible()).toBe(false)
    await page.locator('input[name="handle"]').fill('alice.test')
    await page.locator('form button[type="submit"]').click()
    await page.waitForURL(/\/oauth\/authorize\?/)
  }, 120_000)

  test('in a browser that is too old for the app reads why, and signs in without it', async () => {
    const { page, problems } = await openPage(browser, world.app)
    const reason = page.getByText('This browser is too old')
    await page.addInitScript(() => Reflect.deleteProperty(HTMLElement.prototype, 'showPopover'))
    await page.goto(world.app)
    await reason.waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.locator('input[name="handle"]').fill('alice.test')
    await page.locator('form button[type="submit"]').click()
    await page.waitForURL(/\/oauth\/authorize\?/)
    // A page that only the app draws, for somebody who is not signed in.
    await page.goto(`${world.app}/editor`)
    await reason.waitFor()
    await page.getByLabel('Your handle').fill('alice.test')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password })
    await page.waitForURL((url) => url.origin === new URL(world.app).origin)
    await reason.waitFor()
    expect(problems).toEqual([])
  }, 120_000)

  test('keeps what was typed before the script came', async () => {
    const context = await browser.newContext({ locale: 'en-US' })
    const page = await context.newPage()
    const arrived = Promise.withResolvers<void>()
    await page.route(/\/assets\/[^/]+\.js$/, async (route) => {
      await arrived.promise
      await route.continue()
    })
    await page.goto(world.app, { waitUntil: 'commit' })
    const field = page.locator('input[name="handle"]')
    await field.fill('alice.test')
    arrived.resolve()
    await page.waitForFunction(() => document.title.includes(' · '))
    // As React knows it: it stays when the form is drawn again.
    await page
      .locator('input[type="file"]:not([webkitdirectory])')
      .setInputFiles({ name: 'a.html', mimeType: 'text/html', buffer: Buffer.from('a') })
    expect(await field.inputValue()).toBe('alice.test')
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
  }, 120_000)

  test('may name a server instead of an account, without its scheme', async () => {
    const page = await open('/')
    await signIn(page, new URL(world.network.pds).host)
    await signInAndAuthorize(page, { username: 'carol.test', password })
    await page.waitForURL(`${world.app}/onboarding`)
  }, 120_000)
})
