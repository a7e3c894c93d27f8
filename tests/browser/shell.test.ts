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

const links = {
  SOURCE_URL: 'https://source.example.org/sitehost',
  STATUS_URL: 'https://status.example.org/',
  PRIVACY_URL: 'https://example.org/privacy',
  TERMS_URL: 'https://example.org/terms',
  CONTACT: 'https://example.org/contact',
}

describe.skipIf(!hasBrowser)('the frame of the app', () => {
  let world: World
  let browser: Browser
  let opened: OpenedPage
  let page: Page

  beforeAll(async () => {
    world = await startWorld({ environment: { WEB_RELOAD: '1', ...links } })
    const alice = await world.signedIn('alice.test')
    const index = { path: 'index.html', body: new Blob(['<!doctype html><h1>Hello</h1>']) }
    await alice.publish('blog', [index])
    await alice.publish('portfolio', [index])
    browser = await startBrowser()
    opened = await openPage(browser, world.app, { client: alice })
    page = opened.page
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  const menu = () => page.getByRole('button', { name: 'Account: alice.test' })
  const focused = () => page.evaluate(() => document.activeElement?.textContent)

  test('ends with what there is to read, of which each page exists', async () => {
    await page.goto('/editor')
    const footer = page.getByRole('navigation', { name: 'About this service' })
    await footer.waitFor()
    const hrefs = await footer
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(hrefs).toEqual(['/api/docs', ...Object.values(links), '/report'])
    for (const href of hrefs.filter((each) => each.startsWith('/'))) {
      expect([href, (await fetch(new URL(href, world.app))).status]).toEqual([href, 200])
    }
  }, 60_000)

  test('goes from page to page without loading a document, and says where one is', async () => {
    await page.goto('/editor')
    await page.getByRole('heading', { name: 'Your sites' }).waitFor()
    await page.evaluate(() => {
      const { animate } = Element.prototype
      Object.assign(window, { isSame: true, moved: '' })
      Element.prototype.animate = function (...how) {
        if (this.tagName === 'H1') Object.assign(window, { moved: this.textContent })
        return animate.apply(this, how)
      }
    })
    await page.locator('#content').getByRole('link', { name: 'blog', exact: true }).click()
    await page.getByRole('heading', { name: 'blog', level: 1 }).waitFor()
    await page.waitForFunction(() => document.title === 'blog · Sitehost')
    expect(new URL(page.url()).pathname).toBe('/sites/blog')
    // The name of the row becomes the heading.
    expect(await page.evaluate(() => 'moved' in window && window.moved)).toBe('blog')
    // A screen reader starts where the page does.
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
    expect(await focused()).toBe('blog')
    const tab = page.getByRole('link', { name: 'Settings' })
    await tab.press('Enter')
    await page.waitForURL('**/sites/blog/settings')
    await page.locator('a[aria-current="page"]', { hasText: 'Settings' }).waitFor()
    // Head and tabs stay, and with them the focus.
    expect(await focused()).toBe('Settings')
    await page.goBack()
    await page.goBack()
    await page.getByRole('heading', { name: 'Your sites' }).waitFor()
    expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
  }, 60_000)

  test('follows a link in another tab, when asked to', async () => {
    const other = page.context().waitForEvent('page')
    await page
      .getByRole('banner')
      .getByRole('link', { name: 'New site' })
      .click({ modifiers: ['Control'] })
    const tab = await other
    // To close a page that only begins to load hangs now and then.
    await tab.getByRole('heading', { level: 1 }).waitFor()
    expect(new URL(tab.url()).pathname).toBe('/onboarding')
    await tab.close()
    expect(new URL(page.url()).pathname).toBe('/editor')
  }, 60_000)

  test('shows who is signed in and their sites at once after a reload, and nothing moves', async () => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await page.goto('/sites/portfolio')
      await page.getByRole('link', { name: 'Open' }).waitFor()
      // The document has both.
      expect(asked.filter((path) => path.startsWith('/api/user/'))).toEqual([])
      page.removeAllListeners('request')
      await page.reload()
      await page.getByRole('link', { name: 'Open' }).waitFor()
      expect(await layoutShiftOf(page)).toBeLessThanOrEqual(0.02)
    }
  }, 60_000)

  test('takes over what the service has drawn, on every page, and a press from before', async () => {
    const { page: own } = await openPage(browser, world.app, {
      client: await world.signedIn('alice.test'),
    })
    await own.addInitScript(() =>
      document.addEventListener('readystatechange', () => {
        if (document.readyState === 'interactive')
          Object.assign(window, { drawn: document.querySelector('h1') })
      }),
    )
    const ofSite = ['', '/files', '/versions', '/domains', '/visits', '/settings']
    const paths = [
      '/editor',
      '/onboarding',
      '/account',
      ...ofSite.map((tab) => `/sites/blog${tab}`),
    ]
    for (const path of paths) {
      await own.goto(path)
      await own.waitForFunction(() => document.title.includes(' · '))
      const isTaken = await own.evaluate(
        () => 'drawn' in window && window.drawn === document.querySelector('h1'),
      )
      expect([path, isTaken]).toEqual([path, true])
    }
    const arrived = Promise.withResolvers<void>()
    await own.route(/\/assets\/[^/]+\.js$/, async (route) => {
      await arrived.promise
      await route.continue()
    })
    await own.goto('/editor', { waitUntil: 'commit' })
    await own.getByRole('button', { name: 'Account: alice.test' }).click()
    arrived.resolve()
    await own.getByRole('button', { name: 'Sign out' }).waitFor()
    await own.context().close()
  }, 60_000)

  test('has a theme, by the system or by choice, also after a reload', async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = 'rgb(250, 249, 246)'
    const dark = 'rgb(15, 20, 19)'
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await paper()).toBe(dark)
    await menu().click()
    await page.getByRole('button', { name: 'Light' }).click()
    expect(await paper()).toBe(light)
    const around = () =>
      page.evaluate(() => {
        const metas = [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')]
        return metas.filter(({ media }) => matchMedia(media).matches).map(({ content }) => content)
      })
    expect(await around()).toEqual(['#faf9f6'])
    // Before the app has drawn anything, too.
    const apps = /\/assets\/(?!theme)[^/]*\.js$/
    await page.route(apps, (route) => route.abort())
    await page.reload()
    expect([await paper(), await around()]).toEqual([light, ['#faf9f6']])
    await page.unroute(apps)
    await page.reload()
    await menu().waitFor()
    expect(await paper()).toBe(light)
    await page.emulateMedia({ colorScheme: 'light' })
    await menu().click()
    await page.getByRole('button', { name: 'Dark' }).click()
    expect(await paper()).toBe(dark)
    await page.getByRole('button', { name: 'System' }).click()
    expect(await paper()).toBe(light)
    await page.keyboard.press('Escape')
    expect(await menu().evaluate((button) => button === document.activeElement)).toBe(true)
  }, 60_000)

  test('speaks German when asked to, and English again', async () => {
    await menu().click()
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('button', { name: 'Konto: alice.test' }).click()
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    expect(await (await page.request.get('/')).text()).toContain('Deine Website')
    await page.getByRole('button', { name: 'English' }).click()
    await menu().waitFor()
  }, 60_000)

  test('stays as it is when a part of a page cannot be loaded, and tries again when asked to', async () => {
    await page.goto('/sites/blog')
    const dialogs = /\/update-dialog-[^/]*\.js$/
    await page.route(dialogs, (route) => route.abort())
    const update = page.getByRole('button', { name: 'Update' })
    await update.click()
    await page.getByText('This couldn’t be loaded.').waitFor()
    await page.getByRole('heading', { name: 'blog', level: 1 }).waitFor()
    await page.unroute(dialogs)
    await update.click()
    await page.getByRole('dialog', { name: 'Update blog' }).waitFor()
    await page.keyboard.press('Escape')
  }, 60_000)

  test('says when a whole page cannot be loaded, and has it when it is opened again', async () => {
    await page.goto('/editor')
    const pages = /\/account-page-[^/]*\.js$/
    await page.route(pages, (route) => route.abort())
    await menu().click()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByRole('heading', { name: 'This page couldn’t be loaded' }).waitFor()
    await page.unroute(pages)
    await page.goBack()
    await page.getByRole('heading', { name: 'Your sites' }).waitFor()
    await page.goForward()
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  }, 60_000)

  test('says that it is offline, and that it is not any more', async () => {
    await page.context().setOffline(true)
    const strip = page.getByText('You’re offline.')
    await strip.waitFor()
    await page.context().setOffline(false)
    await strip.waitFor({ state: 'detached' })
  }, 60_000)

  test('says so where nothing is', async () => {
    expect((await page.goto('/nothing'))?.status()).toBe(404)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.goto('/sites/nothing')
    await page.getByRole('heading', { name: 'You have no site called nothing' }).waitFor()
  }, 60_000)

  test('is accessible, and as wide as a phone, in each part and both themes', async () => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      for (const path of ['/styleguide', '/editor', '/sites/blog', '/nothing']) {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.goto(path)
          await page.getByRole('heading').first().waitFor()
          expect([path, width, await violationsOf(page)]).toEqual([path, width, []])
        }
        const tooWide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect([path, width, tooWide]).toEqual([path, width, 0])
      }
      await page.goto('/editor')
      await menu().click()
      expect(await violationsOf(page)).toEqual([])
    }
  }, 120_000)

  test('no page broke its own policy or threw', () => {
    expect(opened.problems).toEqual([])
  })
})
