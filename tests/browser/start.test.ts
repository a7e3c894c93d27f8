import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { type OpenedPage, openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { signInAndAuthorize } from '#tests/support/browser/chromium-consent.ts'
import { dragFolder } from '#tests/support/browser/drag-folder.ts'
import { keptNames } from '#tests/support/browser/kept-names.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startWorld, type World } from '#tests/support/world.ts'

describe.skipIf(!hasBrowser)('a person without a sign-in', () => {
  let world: World
  let browser: Browser
  let page: Page
  let folder: string
  const opened: OpenedPage[] = []

  beforeAll(async () => {
    world = await startWorld()
    browser = await startBrowser()
    folder = await mkdtemp(join(tmpdir(), 'sitehost-garden-'))
    await writeFile(
      join(folder, 'index.html'),
      '<title>Garden</title><h1 style="color: red">Garden',
    )
    await writeFile(join(folder, 'style.css'), 'h1 { color: green }')
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  beforeEach(async () => {
    const next = await openPage(browser, world.app)
    opened.push(next)
    page = next.page
    await page.goto(world.app)
    // What is dragged over the page that the server sent, before the script has drawn it, goes to the browser.
    await page.waitForFunction(() => document.title.includes(' · '))
  })
  afterEach(() => page.context().close())

  const drop = async () => {
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    await page.getByText('Garden', { exact: true }).waitFor()
    await page.getByText('stays in this browser').waitFor()
  }
  const signIn = async (handle: string, options: { reject?: boolean } = {}) => {
    await page.getByLabel('Your handle').fill(handle)
    await page.getByRole('button', { name: 'Sign in and publish' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass', ...options })
  }
  const live = () => page.getByText('Your site is live').waitFor()

  test('drops a folder anywhere on the page, signs in, and is live: four inputs, within half a minute', async () => {
    const inputs = await noteInputs()
    const began = performance.now()
    const hand = await dragFolder(page, folder)
    await hand.moveTo({ x: 5, y: 5 })
    await page.getByText('Drop to publish as a new site').waitFor()
    await hand.drop({ x: 5, y: 5 })
    await page.getByText('Garden', { exact: true }).waitFor()
    await page.getByText('2 files').waitFor()
    await page.getByText('stays in this browser').waitFor()
    await page.getByLabel('Your handle').pressSequentially('alice.test')
    await page.keyboard.press('Enter')
    await page.locator('input[name=password]').pressSequentially('hunter2pass')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    await live()
    const address = page.getByRole('link', { name: 'Open', exact: true })
    const html = await (await fetch((await address.getAttribute('href')) ?? '')).text()
    expect(html).toContain('Garden')
    expect(performance.now() - began).toBeLessThan(30_000)
    expect(inputs).toEqual(['drop', 'handle', 'password', 'Authorize'])
    const share = page.getByRole('link', { name: 'Share on Bluesky' })
    expect(await share.getAttribute('href')).toContain('bsky.app/intent/compose?text=')
    await page.frameLocator('iframe').getByText('Garden').waitFor()
    // Nothing is left of it in the browser.
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await keptNames(page)).toEqual([])
  }, 120_000)

  test('keeps what was dropped over a denied consent, and the handle', async () => {
    await drop()
    await signIn('bob.test', { reject: true })
    await page.waitForURL(/error=auth_failed/)
    await page.getByText('Garden', { exact: true }).waitFor()
    expect(await page.getByLabel('Your handle').inputValue()).toBe('bob.test')
    await page.getByRole('button', { name: 'Sign in and publish' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass' })
    await live()
  }, 120_000)

  test('keeps what was dropped over a reload, until it is removed', async () => {
    await drop()
    await page.reload()
    await page.getByText('Garden', { exact: true }).waitFor()
    await page.getByText('You chose this earlier').waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('group', { name: 'Drop a folder here' }).waitFor()
    await eventually(async () => expect(await keptNames(page)).toEqual([]))
    await page.reload()
    await page.getByRole('group', { name: 'Drop a folder here' }).waitFor()
  }, 120_000)

  test('gets from the start page to a live site by keyboard alone, at 360 px', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    const focused = (control: Locator) =>
      control.evaluate((element) => element === document.activeElement)
    const tabTo = async (control: Locator) => {
      for (let presses = 0; !(await focused(control)); presses++) {
        expect(presses).toBeLessThan(40)
        await page.keyboard.press('Tab')
      }
    }
    const fits = async () =>
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    await tabTo(page.getByLabel('Choose a folder'))
    const choosing = page.waitForEvent('filechooser')
    await page.keyboard.press('Enter')
    await (await choosing).setFiles(folder)
    await page.getByText('stays in this browser').waitFor()
    await fits()
    await tabTo(page.getByLabel('Your handle'))
    await page.keyboard.type('carol.test')
    await page.keyboard.press('Enter')
    await signInAndAuthorize(page, { password: 'hunter2pass' })
    await live()
    await fits()
    // Who published hears of it first, and finds the address next.
    await page.waitForFunction(() => document.activeElement?.textContent === 'Your site is live')
    await page.keyboard.press('Tab')
    const address = await page.evaluate(() => document.activeElement?.textContent ?? '')
    expect(address).toMatch(/^s--[a-z0-9]+\.localhost/)
    expect(await violationsOf(page)).toEqual([])
  }, 120_000)

  test('does not replace a site of that name without being asked', async () => {
    const program = await world.signedIn('carol.test')
    const name = folder.split('/').at(-1) ?? ''
    await program.publish(name, [{ path: 'index.html', body: new Blob(['mine']) }])
    await drop()
    await signIn('carol.test')
    const field = page.getByLabel('Site name')
    await page.getByText('Garden', { exact: true }).waitFor()
    expect(await field.inputValue()).toBe(`${name}-2`)
    await field.fill('')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Give the site a name.').waitFor()
    expect(await field.inputValue()).toBe('')
    await field.fill(name)
    await page.getByText(`Replaces your site “${name}”.`).waitFor()
    await page.getByRole('button', { name: `Replace ${name}` }).click()
    await live()
  }, 120_000)

  test('publishes for no other account than the one that was entered', async () => {
    await drop()
    // As if the server had let somebody else in.
    await page.route('**/api/auth/signin', (route) =>
      route.continue({ postData: { handle: 'bob.test' } }),
    )
    await signIn('alice.test')
    await page.getByText('You are signed in as bob.test').waitFor()
    await page.getByText('Garden', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor()
  }, 120_000)

  test('signs out, and what was dropped is gone from the browser', async () => {
    await drop()
    // There is a site of that name: nothing is published before a name is confirmed.
    await signIn('alice.test')
    await page.getByLabel('Site name').waitFor()
    expect(await keptNames(page)).toHaveLength(2)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Your handle').waitFor()
    expect(await keptNames(page)).toEqual([])
  }, 120_000)

  test('starts from a template, in their own words', async () => {
    await page.getByRole('button', { name: 'Start from a template' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Blog', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Use this template' }).click()
    await dialog.getByText('Give it a title.').waitFor()
    await dialog.getByLabel('Title').fill('Dan <3')
    await dialog.getByLabel('Your handle').fill('dan.test')
    await expectNoViolations()
    await dialog.getByRole('button', { name: 'Use this template' }).click()
    await page.getByText('Dan <3').waitFor()
    await page.getByText('3 files').waitFor()
  }, 120_000)

  test('finds nothing that axe objects to, wide and narrow, empty and dropped', async () => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await expectNoViolations()
      const overflow = 'document.documentElement.scrollWidth - innerWidth'
      expect(await page.evaluate(overflow)).toBe(0)
    }
    await drop()
    await expectNoViolations()
  }, 120_000)

  test('no page broke its own policy or threw', () => {
    expect(opened.flatMap(({ problems }) => problems)).toEqual([])
  })

  /** What a person gives to the pages from now on: what is dropped, each field that is filled in, each press of a pointer. */
  const noteInputs = async () => {
    const inputs: string[] = []
    await page.exposeBinding('noteInput', (_, input: string) => inputs.push(input))
    await page.addInitScript(() => {
      const note = (input: string) =>
        (window as unknown as { noteInput(input: string): void }).noteInput(input)
      addEventListener('drop', () => note('drop'), true)
      addEventListener('change', ({ target }) => note((target as HTMLInputElement).name), true)
      // Enter in a field presses its form's button, without a pointer.
      const press = ({ detail, target }: MouseEvent) =>
        detail > 0 && note((target as HTMLElement).textContent ?? '')
      addEventListener('click', press, true)
    })
    await page.reload()
    await page.waitForFunction(() => document.title.includes(' · '))
    return inputs
  }

  const expectNoViolations = async () => {
    await page.getByRole('heading').first().waitFor()
    expect(await violationsOf(page)).toEqual([])
  }
})
