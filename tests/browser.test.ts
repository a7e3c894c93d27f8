import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage } from '#tests/support/browser/browser-page.ts'
import { signInAndAuthorize } from '#tests/support/browser/chromium-consent.ts'
import { zipOf } from '#tests/support/hostile/archives.ts'
import { startWorld, type World } from './support/world.ts'

describe.skipIf(!hasBrowser)('a person with a browser', () => {
  let world: World
  let browser: Browser
  let folder: string
  let page: Page
  let problems: readonly string[]

  beforeAll(async () => {
    world = await startWorld({ canFail: true })
    browser = await startBrowser()
    folder = await sampleFolder()
    ;({ page, problems } = await openPage(browser, world.app))
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  test('signs in on the pages of the account’s own server', async () => {
    await page.goto(world.app)
    await page.getByLabel('Your handle').fill('alice.test')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass' })
    await page.waitForURL(`${world.app}/onboarding`)
    await page.getByRole('button', { name: 'Account: alice.test' }).waitFor()
  }, 120_000)

  test('uploads a folder, sees it progress, and opens the site', async () => {
    expect(await page.getByLabel('Site name').count()).toBe(0)
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    await page.getByLabel('Site name').fill('a b')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('alert').getByText('A name cannot have a space in it.').waitFor()
    await page.getByLabel('Site name').fill('first-site')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('progressbar').first().waitFor()
    const link = page.getByRole('link', { name: /s--[a-z2-7]{26}\.localhost/ })
    await link.waitFor()
    // What is wrong in its rules is told where it was published, too.
    await page.getByText('1 problem').waitFor()
    await page.getByText('_redirects, line 2: ').waitFor()
    const opened = page.waitForEvent('popup')
    await link.click()
    const site = await opened
    await site.waitForLoadState()
    await site.getByRole('heading', { name: 'My first site' }).waitFor()
    expect(await site.evaluate('getComputedStyle(document.body).color')).toBe('rgb(10, 20, 30)')
    await site.getByRole('link', { name: 'About' }).click()
    await site.getByRole('heading', { name: 'About me' }).waitFor()
    await site.close()
  }, 120_000)

  test('drops beside the zone, or drops no file, and loses nothing', async () => {
    await page.goto(`${world.app}/onboarding`)
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    await page.getByText('4 files, 198 B').waitFor()
    const zone = page.getByRole('group', { name: 'Drop something else here' })
    expect(await drop(zone, 'text')).toBe('taken by the page')
    expect(await drop(page.getByRole('heading', { level: 1 }), 'file')).toBe('taken by the page')
    expect(await drop(page.getByLabel('Site name'), 'text')).toBe('left to the browser')
    expect(await page.getByText('4 files, 198 B').count()).toBe(1)
  }, 120_000)

  test('chooses a zip, and the files in it become the site', async () => {
    await page.goto(`${world.app}/onboarding`)
    await page.getByLabel('Choose files or a zip').setInputFiles({
      ...{ name: 'zipped.zip', mimeType: 'application/zip' },
      buffer: zipOf([{ name: 'zipped/index.html', content: '<h1>Unpacked</h1>' }]),
    })
    await page.getByText('1 file, 17 B').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Your site is live').waitFor()
    await page.goto((await page.getByRole('link', { name: 'Open' }).getAttribute('href')) ?? '')
    await page.getByRole('heading', { name: 'Unpacked' }).waitFor()
  }, 120_000)

  /** The job cannot end; the deploy before it can begin. */
  const loseServerAtCommit = () =>
    page.route(
      '**/api/deploys/*/commit',
      async (route) => {
        world.network.setFaults({ 'com.atproto.sync.getLatestCommit': { status: 503 } })
        await route.continue()
      },
      { times: 1 },
    )

  test('cancels a site of which all has left and nothing was answered yet', async () => {
    await page.goto(`${world.app}/onboarding`)
    await loseServerAtCommit()
    const { answered, letGo } = await holdAnswer(page, '*/api/deploys/*/commit')
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    await page.getByLabel('Site name').fill('third-thoughts')
    await page.getByRole('button', { name: 'Publish' }).click()
    await answered
    await page.getByText(/^(.+) of \1$/).waitFor()
    const cancel = page.getByRole('button', { name: 'Cancel' })
    await cancel.click()
    await page.getByText('Cancelling…').waitFor()
    expect(await cancel.evaluate((button) => button === document.activeElement)).toBe(true)
    await letGo()
    await page.getByText('was cancelled. Nothing was published.').waitFor()
    world.network.setFaults({})
  }, 120_000)

  test('leaves the page while a site is stored, and cancels it when back', async () => {
    await loseServerAtCommit()
    await page.getByLabel('Site name').fill('left-alone')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('You can close this tab').waitFor()
    await page.reload()
    const resumed = page.getByRole('region', { name: 'Publishing left-alone' })
    await resumed.getByRole('button', { name: 'Cancel' }).click()
    await resumed.getByText('was cancelled. Nothing was published.').waitFor()
    world.network.setFaults({})
    const close = resumed.getByRole('button', { name: 'Close' })
    expect(await close.evaluate((button) => button === document.activeElement)).toBe(true)
    await close.click()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('New site')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await resumed.count()).toBe(0)
  }, 120_000)

  test('cancels a site while it is stored, and may try again', async () => {
    await page.goto(`${world.app}/onboarding`)
    await loseServerAtCommit()
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    await page.getByLabel('Site name').fill('second-thoughts')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('You can close this tab').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('was cancelled. Nothing was published.').waitFor()
    world.network.setFaults({})
    await page.getByRole('button', { name: 'Try again' }).click()
    const focused = page.locator(':focus')
    await focused.filter({ hasText: /^Publishing second-thoughts$/ }).waitFor()
    await page.getByRole('link', { name: 'New site' }).focus()
    await page.getByRole('link', { name: /s--[a-z2-7]{26}\.localhost/ }).waitFor()
    // Whoever does something else meanwhile is not called away.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('New site')
  }, 120_000)

  const claim = async (handle: string, siteRkey: string) => {
    const domain = `${handle}.localhost`
    await page.request.post('/api/domain/claim', { data: { handle } })
    await page.request.post('/api/domain/sitehost/map-site', { data: { domain, siteRkey } })
  }

  test('finds the site in the list, and signs out', async () => {
    await claim('alices-own', 'first-site')
    await page.goto(`${world.app}/editor`)
    await page.getByText('first-site').first().waitFor()
    const address = page.getByRole('link', { name: 'alices-own.localhost' })
    expect(await address.getAttribute('href')).toBe(
      `http://alices-own.localhost:${new URL(world.app).port}/`,
    )
    await page.getByRole('button', { name: 'Account: alice.test' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${world.app}/`)
    await page.getByLabel('Your handle').waitFor()
  }, 120_000)

  test('is told in the page what is wrong with a handle', async () => {
    await page.goto(world.app)
    await page.getByLabel('Your handle').fill('nobody.test')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('That handle does not exist').waitFor()
    expect(await page.evaluate('document.activeElement.name')).toBe('handle')
  }, 120_000)

  test('denies access, and is told that nothing was changed', async () => {
    await page.goto(world.app)
    await page.getByLabel('Your handle').fill('bob.test')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass', reject: true })
    await page.waitForURL(`${world.app}/?error=auth_failed`)
    await page.getByText('nothing was changed').waitFor()
  }, 120_000)

  test('has an empty list look again, at what another program wrote meanwhile', async () => {
    await page.goto(world.app)
    await page.getByLabel('Your handle').fill('carol.test')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass' })
    await page.waitForURL(`${world.app}/onboarding`)
    await page.goto(`${world.app}/editor`)
    await page.getByText('No sites yet').waitFor()
    const program = await world.signedIn('carol.test')
    await program.publish('from-elsewhere', [
      { path: 'index.html', body: new Blob(['<h1>hi</h1>']) },
    ])
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByRole('link', { name: 'from-elsewhere', exact: true }).waitFor()
  }, 120_000)

  test('no page broke its own policy or threw', () => {
    expect(problems).toEqual([])
  })
})

/** The next answer to such a request stays with the browser until it is let go. */
async function holdAnswer(page: Page, urlPattern: string) {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Response' }] })
  const answered = new Promise<string>((resolve) => {
    devTools.once('Fetch.requestPaused', ({ requestId }) => resolve(requestId))
  })
  const letGo = async () => {
    await devTools.send('Fetch.continueResponse', { requestId: await answered })
    await devTools.detach()
  }
  return { answered, letGo }
}

/** Whether the page takes what is dropped there; a browser that is left alone opens a file in its place. */
const drop = (target: Locator, what: 'text' | 'file') =>
  target.evaluate((element, what) => {
    const dataTransfer = new DataTransfer()
    if (what === 'file') dataTransfer.items.add(new File(['x'], 'x.txt'))
    else dataTransfer.items.add('x', 'text/plain')
    const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer })
    return element.dispatchEvent(event) ? 'left to the browser' : 'taken by the page'
  }, what)

async function sampleFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-folder-'))
  await mkdir(join(dir, 'about'))
  await writeFile(
    join(dir, 'index.html'),
    '<!doctype html><link rel="stylesheet" href="style.css"><h1>My first site</h1><a href="about/">About</a>',
  )
  await writeFile(join(dir, 'about/index.html'), '<!doctype html><h1>About me</h1>')
  await writeFile(join(dir, '_redirects'), '/old /about/\n/wrong /about/ 999\n')
  await writeFile(join(dir, 'style.css'), 'body { color: rgb(10, 20, 30) }')
  return dir
}
