import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { layoutShiftOf, openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { dropFolderOn } from '#tests/support/browser/drag-folder.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { startWorld, type World } from '../support/world.ts'

describe.skipIf(!hasBrowser)('the list of sites', () => {
  let world: World
  let browser: Browser
  let alice: AppClient
  let page: Page
  let problems: readonly string[]
  let folder: string
  const sites = 10

  beforeAll(async () => {
    world = await startWorld({ canFail: true })
    browser = await startBrowser()
    alice = await world.signedIn('alice.test')
    for (let n = 1; n <= sites; n++) {
      const body = new Blob([`<!doctype html><h1>Site ${n}</h1>`])
      await alice.publish(`site-${n}`, [{ path: 'index.html', body }])
    }
    folder = await mkdtemp(join(tmpdir(), 'sitehost-update-'))
    await writeFile(join(folder, 'index.html'), '<!doctype html><h1>Updated</h1>')
    ;({ page, problems } = await openPage(browser, world.app, { client: alice }))
    page.setDefaultTimeout(30_000)
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const rows = () => page.getByRole('list', { name: 'Your sites' }).getByRole('listitem')
  const row = (name: string) =>
    rows().filter({ has: page.getByRole('link', { name, exact: true }) })
  const told = (text: string) =>
    page.getByRole('region', { name: 'Notices' }).getByText(text).waitFor()
  const menuOf = (name: string) => page.getByRole('button', { name: `More for ${name}` })
  const htmlOf = async (name: string) => {
    const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as {
      sites: { rkey: string; url: string }[]
    }
    return await (await fetch(sites.find(({ rkey }) => rkey === name)?.url ?? '')).text()
  }
  const dropOn = (target: Locator, path: string, site: string) =>
    dropFolderOn(target, path, page.getByText(`Drop to publish to ${site}`))

  test('has the newest on top, and nothing of it moves', async () => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto('/editor')
      await row('site-10').waitFor()
      expect(await layoutShiftOf(page)).toBeLessThanOrEqual(0.02)
      await page.reload()
      await row('site-10').waitFor()
      expect(await layoutShiftOf(page)).toBeLessThanOrEqual(0.02)
      expect(await violationsOf(page)).toEqual([])
    }
    expect(await rows().first().textContent()).toContain('site-10')
    const { height = 0 } = (await row('site-5').boundingBox()) ?? {}
    expect(Math.round(height)).toBe(72)
    await row('site-5').getByText('Live').waitFor()
  }, 60_000)

  test('is searched while one types', async () => {
    const search = page.getByRole('searchbox', { name: 'Search your sites' })
    await search.fill('SITE-1')
    await page.getByText('2 sites', { exact: true }).waitFor()
    expect(await rows().count()).toBe(2)
    await search.fill('nothing')
    await page.getByText('No site matches').waitFor()
    await search.press('Escape')
    expect(await search.inputValue()).toBe('')
    await row('site-7').waitFor()
  }, 60_000)

  test('is used with the keyboard alone', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await menuOf('site-9').press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await told('address copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^http:\/\/s--[a-z2-7]+\./,
    )
    await page.getByRole('link', { name: 'site-9', exact: true }).press('Enter')
    await page.waitForURL('**/sites/site-9')
    await page.goBack()
    await row('site-9').waitFor()
  }, 60_000)

  test('takes a folder for the site that it is dropped on, and shows three ticks there', async () => {
    let go = () => {}
    const seen = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route('**/api/deploys/*/commit', async (route) => {
      await seen
      await route.continue()
    })
    await dropOn(row('site-3'), folder, 'site-3')
    await row('site-3').getByRole('listitem').filter({ hasText: 'Read: done' }).waitFor()
    await row('site-3').getByText('Send: in progress').waitFor()
    await row('site-3').getByText('Live: not started').waitFor()
    expect(await violationsOf(page)).toEqual([])
    go()
    await told('site-3 is updated.')
    await page.unrouteAll()
    await rows().first().getByRole('link', { name: 'site-3', exact: true }).waitFor()
    expect(await htmlOf('site-3')).toContain('Updated')
    expect(await row('site-3').getByText('Read: done').count()).toBe(0)
  }, 60_000)

  test('says why a publish failed, and tries it again', async () => {
    world.network.setFaults({ 'com.atproto.repo.applyWrites': { status: 400 } })
    await menuOf('site-4').click()
    await page.getByRole('button', { name: 'Update…' }).click()
    await page.getByRole('dialog').getByLabel('Choose a folder').setInputFiles(folder)
    await row('site-4').getByRole('alert').getByText('refused the site').waitFor()
    expect(await htmlOf('site-4')).toContain('Site 4')
    world.network.setFaults({})
    await page.getByRole('button', { name: 'Try again: site-4' }).click()
    await told('site-4 is updated.')
    expect(await htmlOf('site-4')).toContain('Updated')
  }, 60_000)

  test('shows a publish that was begun before a reload, and cancels it', async () => {
    await page.route('**/api/deploys/*/commit', async (route) => {
      world.network.setFaults({ 'com.atproto.sync.getLatestCommit': { status: 503 } })
      await route.continue()
    })
    await dropOn(row('site-2'), folder, 'site-2')
    await row('site-2').getByText('Live: in progress').waitFor()
    await page.unrouteAll()
    await page.reload()
    await row('site-2').getByText('Live: in progress').waitFor()
    await page.getByRole('button', { name: 'Cancel publishing site-2' }).click()
    await row('site-2').getByText('was cancelled. Nothing was published.').waitFor()
    world.network.setFaults({})
    await row('site-2').getByRole('button', { name: 'Close' }).click()
    await row('site-2').getByText('Live', { exact: true }).waitFor()
  }, 60_000)

  test('keeps what it knew when it cannot be read again', async () => {
    await page.route('**/api/user/sites', (route) =>
      route.fulfill({ status: 400, json: { error: 'Not now.' } }),
    )
    // The document as it is where the service does not draw the page.
    await page.route('**/editor', async (route) => {
      const headers = { ...(await route.request().allHeaders()), 'sec-fetch-dest': 'empty' }
      await route.fulfill({ response: await route.fetch({ headers }) })
    })
    await page.reload()
    await page.getByText('Couldn’t refresh. This may be out of date.').waitFor()
    await row('site-10').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Couldn’t refresh.').waitFor({ state: 'detached' })
  }, 60_000)

  test('has the addresses below it that no site uses, for one to take', async () => {
    const claimed = await alice.fetch('/api/domain/claim', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: 'spare-name' }),
    })
    expect(claimed.status).toBe(200)
    await page.reload()
    await page.getByRole('button', { name: 'Use for a site: spare-name.localhost' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Site').selectOption('site-6')
    await dialog.getByRole('button', { name: 'Use address' }).click()
    await told('spare-name.localhost shows site-6 now.')
    await row('site-6').getByText('spare-name.localhost').waitFor()
    expect(await page.getByText('Addresses you have and don’t use').count()).toBe(0)
    const at = `http://spare-name.localhost:${new URL(world.app).port}/`
    expect(await (await fetch(at)).text()).toContain('Site 6')
  }, 60_000)

  test('deletes a site only by its name', async () => {
    await menuOf('site-8').click()
    await page.getByRole('button', { name: 'Delete site…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete site-8' }).click()
    await dialog.getByRole('alert').getByText('That is not site-8.').waitFor()
    await dialog.getByLabel('Type site-8 to confirm').fill('site-8')
    await page.keyboard.press('Enter')
    await told('site-8 is deleted.')
    await row('site-8').waitFor({ state: 'detached' })
  }, 60_000)

  test('of a site: an update from its page, and a question first where there is one', async () => {
    await page.goto('/sites/site-5')
    await page.getByRole('button', { name: 'Show QR code' }).click()
    await page.getByRole('img', { name: /^QR code of http:\/\/s--/ }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Update site-5' })
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByLabel('Choose a folder').setInputFiles(folder)
    await told('site-5 is updated.')
    expect(await htmlOf('site-5')).toContain('Updated')

    const project = join(folder, 'project')
    await mkdir(join(project, 'dist'), { recursive: true })
    await writeFile(join(project, 'package.json'), '{}')
    await writeFile(join(project, 'dist/index.html'), '<h1>Built</h1>')
    await dropOn(page.getByRole('heading', { level: 1 }), project, 'site-5')
    await page.waitForURL('**/onboarding?site=site-5')
    await page.getByRole('button', { name: 'Publish dist instead' }).click()
    await page.getByRole('button', { name: 'Replace site-5' }).click()
    await page.getByText('Your site is live').waitFor()
    expect(await htmlOf('site-5')).toContain('Built')
  }, 60_000)

  test('that is empty takes a folder, which gets a name and an address and goes live there', async () => {
    const carol = await world.signedIn('carol.test')
    const opened = await openPage(browser, world.app, { client: carol })
    await opened.page.goto('/editor')
    await opened.page.getByText('No sites yet.').waitFor()
    await opened.page.getByRole('button', { name: 'Start from a template' }).waitFor()
    expect(await violationsOf(opened.page)).toEqual([])
    await opened.page.getByLabel('Choose a folder').setInputFiles(folder)
    await opened.page.waitForURL('**/onboarding')
    await opened.page.getByLabel('Site name').fill('first')
    const address = opened.page.getByLabel('Address')
    await address.fill('admin')
    await opened.page.getByText('This one is reserved.').waitFor()
    await address.fill('carols-page')
    await opened.page.getByText('carols-page.localhost is free.').waitFor()
    await opened.page.getByRole('button', { name: 'Publish', exact: true }).click()
    await opened.page.getByRole('link', { name: 'carols-page.localhost' }).waitFor()
    const at = `http://carols-page.localhost:${new URL(world.app).port}/`
    expect(await (await fetch(at)).text()).toContain('Updated')
    expect(opened.problems).toEqual([])
    await opened.page.context().close()
  }, 60_000)

  test('no page broke its own policy or threw', () => {
    expect(problems).toEqual([])
  })
})
