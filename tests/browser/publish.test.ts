import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { siteCommandNames } from '#cli/site-program.ts'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage } from '#tests/support/browser/browser-page.ts'
import { signInAndAuthorize } from '#tests/support/browser/chromium-consent.ts'
import { startWorld, type World } from '#tests/support/world.ts'

describe.skipIf(!hasBrowser)('publishing from the browser', () => {
  let world: World
  let browser: Browser
  let page: Page
  let problems: readonly string[]
  const folders: string[] = []
  /** Method and path of what is sent to the service. */
  let sent: string[] = []

  beforeAll(async () => {
    world = await startWorld({ environment: { MAX_FILE_BYTES: '6500000' } })
    browser = await startBrowser()
    ;({ page, problems } = await openPage(browser, world.app))
    page.on('request', (request) => sent.push(`${request.method()} ${request.url()}`))
    await page.goto(world.app)
    await page.getByLabel('Your handle').fill('alice.test')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass' })
    await page.waitForURL(`${world.app}/onboarding`)
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    for (const folder of folders) await rm(folder, { recursive: true })
  })

  const folderOf = async (contents: Record<string, string>) => {
    const folder = await mkdtemp(join(tmpdir(), 'sitehost-folder-'))
    folders.push(folder)
    for (const [path, content] of Object.entries(contents)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    return folder
  }

  const choose = async (contents: Record<string, string>, siteName: string) => {
    await page.goto(`${world.app}/onboarding`)
    await page.getByLabel('Choose a folder').setInputFiles(await folderOf(contents))
    await page.getByLabel('Site name').fill(siteName)
  }

  const publish = async (contents: Record<string, string>, siteName: string) => {
    await choose(contents, siteName)
    sent = []
    await page.getByRole('button', { name: /^(Publish|Replace .*)$/ }).click()
    await live()
    return sent.filter((each) => each.startsWith('PUT '))
  }

  const uploader = () => page.getByRole('region', { name: 'New site', exact: true })
  const live = () => uploader().getByText('Your site is live').waitFor({ timeout: 100_000 })

  const siteUrl = async () =>
    (await uploader().getByRole('link', { name: 'Open', exact: true }).getAttribute('href')) ?? ''

  test('of a site of many files, one that changed is sent, and no other', async () => {
    const contents = Object.fromEntries(
      Array.from({ length: 59 }, (_, i) => [`pages/${i}.html`, `<p>page ${i}`]),
    )
    const first = await publish({ ...contents, 'index.html': '<h1>one' }, 'large')
    expect(first).toHaveLength(60)
    const second = await publish({ ...contents, 'index.html': '<h1>two' }, 'large')
    expect(second).toHaveLength(1)
    await page.getByText('60 files, 1 uploaded').waitFor()
    expect(await (await fetch(await siteUrl())).text()).toBe('<h1>two')
    expect(await publish({ ...contents, 'index.html': '<h1>two' }, 'large')).toEqual([])
    await page.getByText('60 files, nothing to upload').waitFor()
  }, 120_000)

  test('the result has the commands that publish the next version', async () => {
    await page.getByText('Publish again from the terminal').click()
    const commands = await page.locator('details[open] li code').allTextContents()
    expect(commands).toEqual(['sitehost login alice.test', 'sitehost deploy --site large'])
    for (const command of commands) expect(siteCommandNames).toContain(command.split(' ')[1] ?? '')
    const more = await page.getByRole('link', { name: 'All commands' }).getAttribute('href')
    expect((await fetch(new URL(more ?? '', world.app))).status).toBe(200)
  }, 120_000)

  test('every name that a site can have arrives as it is', async () => {
    const names = [
      'say "hi".html',
      '100%.html',
      '%22.html',
      'a b.html',
      'עברית.html',
      '👩‍👧.html',
      '#?.html',
    ]
    const contents = Object.fromEntries(names.map((name) => [name, name]))
    await publish({ ...contents, 'index.html': 'start' }, 'names')
    const url = await siteUrl()
    for (const name of names) {
      const answer = await fetch(`${url}${encodeURIComponent(name)}`)
      expect([name, answer.status, await answer.text()]).toEqual([name, 200, name])
    }
  }, 120_000)

  test('names that no site can have are refused before anything is sent', async () => {
    const names = ['index.html', 'back\\slash.html', 'line\nbreak.html', 'return\rbreak.html']
    await choose(Object.fromEntries(names.map((name) => [name, 'x'])), 'refused')
    const refused = page.getByText('Bad file path')
    await refused.first().waitFor()
    expect(await refused.count()).toBe(names.length - 1)
    sent = []
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('These files cannot be published').waitFor()
    expect(sent).toEqual([])
  }, 120_000)

  test('a file that is too large is refused before anything of it is sent', async () => {
    await choose({ 'index.html': 'x', 'film.bin': 'f'.repeat(6_500_001) }, 'too-large')
    sent = []
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('alert').getByText('"film.bin" is larger than 6.5 MB.').waitFor()
    expect(sent.filter((each) => each.startsWith('PUT '))).toEqual([])
  }, 120_000)

  test('a lost connection is waited for', async () => {
    await choose({ 'index.html': 'offline and back' }, 'patient')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('This continues when the connection is back.').waitFor()
    await page.context().setOffline(false)
    await live()
  }, 120_000)

  test('a reload in the middle continues with what is missing', async () => {
    const contents = { 'index.html': 'reloaded', 'a.txt': 'a', 'b.txt': 'b' }
    await choose(contents, 'reloaded')
    let puts = 0
    let isBack = false
    await page.route('**/api/deploys/*/files/*', (route) =>
      isBack || ++puts === 1 ? route.continue() : route.fulfill({ status: 503 }),
    )
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Trying again').waitFor()
    page.once('domcontentloaded', () => {
      isBack = true
      sent = []
    })
    await page.reload()
    await live()
    await page.unrouteAll()
    expect(sent.filter((each) => each.startsWith('PUT '))).toHaveLength(2)
    expect(sent.filter((each) => each.endsWith('/api/site/reloaded/deploys'))).toEqual([])
  }, 120_000)

  test('a reload in the middle of an update continues on the site’s own page', async () => {
    await page.goto(`${world.app}/sites/reloaded`)
    let isBack = false
    const refused = page.waitForResponse((response) => response.status() === 503)
    await page.route('**/api/deploys/*/files/*', (route) =>
      isBack ? route.continue() : route.fulfill({ status: 503 }),
    )
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Update reloaded' })
    await dialog
      .getByLabel('Choose a folder')
      .setInputFiles(await folderOf({ 'index.html': 'updated', 'a.txt': 'a', 'b.txt': 'b' }))
    await refused
    page.once('domcontentloaded', () => {
      isBack = true
    })
    await page.reload()
    await page.getByText('reloaded is updated.').first().waitFor()
    await page.unrouteAll()
    const open = page.getByRole('link', { name: 'Open', exact: true })
    expect(await (await fetch((await open.getAttribute('href')) ?? '')).text()).toBe('updated')
  }, 120_000)

  test('an update that removes most of a site asks first, and nothing is published before', async () => {
    await page.goto(`${world.app}/sites/reloaded`)
    sent = []
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await page
      .getByRole('dialog', { name: 'Update reloaded' })
      .getByLabel('Choose a folder')
      .setInputFiles(await folderOf({ 'index.html': 'another site', 'other.html': 'other' }))
    await page.waitForURL('**/onboarding?site=reloaded')
    await page.getByText('This removes 2 of the 3 files of reloaded.').waitFor()
    expect(sent.filter((each) => !each.startsWith('GET '))).toEqual([])
    await page.getByRole('button', { name: 'Replace reloaded' }).click()
    await page.getByText('Your site is live').waitFor()
  }, 120_000)

  test.each([
    ['asks before it replaces a site', 'reloaded'],
    ['publishes nothing under a name that was changed meanwhile', 'not-meant'],
  ])(
    'publishing before the list of sites has loaded %s',
    async (_, named) => {
      const listed = Promise.withResolvers<void>()
      await page.route('**/api/user/sites', async (route) => {
        await listed.promise
        await route.continue()
      })
      // The document as it is where the service does not draw the page.
      await page.route('**/onboarding', async (route) => {
        const headers = { ...(await route.request().allHeaders()), 'sec-fetch-dest': 'empty' }
        await route.fulfill({ response: await route.fetch({ headers }) })
      })
      await page.evaluate(() => sessionStorage.clear())
      await choose({ 'index.html': 'by mistake' }, named)
      sent = []
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByLabel('Site name').fill('reloaded')
      listed.resolve()
      await page.getByRole('button', { name: 'Replace reloaded' }).waitFor()
      expect(sent.filter((each) => !each.startsWith('GET '))).toEqual([])
      await page.unrouteAll()
    },
    120_000,
  )

  test('of two tabs that continue the same folder, one publishes it', async () => {
    await choose({ 'index.html': 'from one tab', 'a.txt': 'tab' }, 'one-tab')
    const context = page.context()
    await context.route('**/api/deploys/*/files/*', (route) => route.fulfill({ status: 503 }))
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Trying again').waitFor()
    // What a tab remembers is copied to those that it opens, and with "Duplicate tab".
    const opened = context.waitForEvent('page')
    await page.evaluate(() => window.open('/api/docs'))
    const copy = await opened
    const commits: string[] = []
    context.on('request', (request) => {
      if (/\/commit$/.test(request.url())) commits.push(request.url())
    })
    await Promise.all([page.reload(), copy.goto(`${world.app}/editor`)])
    const other = 'Another tab of this browser is publishing this.'
    await Promise.any([page, copy].map((tab) => tab.getByText(other).waitFor()))
    await context.unrouteAll()
    const isLive = (tab: Page) => tab.getByText('Your site is live').waitFor({ timeout: 100_000 })
    await Promise.any([page, copy].map(isLive))
    expect(commits).toHaveLength(1)
    await copy.close()
  }, 120_000)

  test('a restart of the service in the middle continues', async () => {
    await choose({ 'index.html': 'restarted', 'a.txt': 'restarted a' }, 'restarted')
    let puts = 0
    await page.route('**/api/deploys/*/files/*', async (route) => {
      if (++puts === 2) await world.restart()
      await route.continue()
    })
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await live()
    await page.unrouteAll()
  }, 120_000)

  test('a page is made the start page, and a folder the site', async () => {
    await choose({ 'about.html': '<h1>about' }, 'one-page')
    await page.getByRole('button', { name: 'Make about.html the start page' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await live()
    expect(await (await fetch(await siteUrl())).text()).toBe('<h1>about')
    await choose({ 'package.json': '{}', 'dist/index.html': '<h1>built' }, 'built')
    await page.getByRole('button', { name: 'Publish dist instead' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await live()
    expect(await (await fetch(await siteUrl())).text()).toBe('<h1>built')
  }, 120_000)

  test('a large file is hashed in a worker', async () => {
    const puts = await publish({ 'index.html': 'x', 'film.bin': 'film '.repeat(1_200_000) }, 'film')
    expect(puts).toHaveLength(2)
    expect(await (await fetch(`${await siteUrl()}film.bin`)).text()).toHaveLength(6_000_000)
  }, 120_000)

  test('no page broke its own policy or threw', () => {
    expect(problems).toEqual([])
  })
})
