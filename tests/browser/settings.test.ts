import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { type OpenedPage, openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { createSession, getRecord, putRecord } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

const pages = ['index.html', 'about.html', 'oops.html', 'docs/start.html', 'img/a.txt']

describe.skipIf(!hasBrowser)('the settings of a site, and what they change for a visitor', () => {
  let world: World
  let browser: Browser
  let opened: OpenedPage
  let page: Page
  let url: string

  beforeAll(async () => {
    world = await startWorld({ canFail: true })
    const alice = await world.signedIn('alice.test')
    const files = pages.map((path) => ({ path, body: new Blob([`<!doctype html>${path}`]) }))
    url = String((await alice.publish('blog', files))['url'])
    browser = await startBrowser()
    opened = await openPage(browser, world.app, { client: alice })
    page = opened.page
    await page.goto('/sites/blog/settings')
    await page.getByRole('form', { name: 'Settings of blog' }).waitFor()
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  const navigation = { headers: { accept: 'text/html' }, redirect: 'manual' } as const
  /** Status and body, or where it leads. */
  const visit = async (path: string): Promise<string> => {
    const answer = await fetch(new URL(path, url), navigation)
    return `${answer.status} ${answer.headers.get('location') ?? (await answer.text()).replace('<!doctype html>', '')}`
  }
  const visitors = (path: string, seen: string) =>
    eventually(async () => expect(await visit(path)).toBe(seen))
  const save = async () => {
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Saved. Live for visitors now.').first().waitFor()
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' })
  }
  const sample = (text: string) =>
    page.getByRole('form').getByText(text).filter({ visible: true }).first().waitFor()

  test('addresses lose their .html, and the sample says so before it is saved', async () => {
    await sample('/about.html')
    await page.getByLabel('Without .html').check()
    await sample('redirects to')
    await page.getByLabel('Slash at the end').selectOption('Always: /about/ and /blog/')
    await save()
    await visitors('/about/', '200 about.html')
    await visitors('/about.html', '308 /about/')
  }, 60_000)

  test('a folder shows the file that is named, and the wrong name is said at its field', async () => {
    const field = page.getByLabel('Index files')
    await field.fill('docs/start.html')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Enter the name of a file').waitFor()
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
    await field.fill('index.html, start.html')
    await sample('/docs/')
    await save()
    await visitors('/docs/', '200 docs/start.html')
  }, 60_000)

  test('a missing page is what was chosen from the files that are there', async () => {
    await page.getByLabel('Show another page').check()
    await page.getByText('The live version has no 404.html').waitFor()
    await page.getByLabel('Page to show').selectOption('oops.html')
    await sample('oops.html')
    await save()
    await visitors('/nothing', '404 oops.html')
    await page.getByLabel('Single-page app').check()
    await save()
    await visitors('/some/where', '200 index.html')
    await page.getByLabel('List files in folders').check()
    await save()
    await eventually(async () => expect(await visit('/img/')).toContain('a.txt'))
    await page.getByLabel('Show 404.html (default)').check()
    await save()
    await eventually(async () => expect(await visit('/img/')).not.toContain('a.txt'))
  }, 60_000)

  test('headers are sent by path, and a forbidden one is said at its row', async () => {
    await page.getByRole('button', { name: 'Add a header' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Content-Length')
    await page.getByLabel('Value', { exact: true }).fill('1')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').getByText('Sites cannot set this header.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('X-Robots-Tag')
    await page.getByLabel('Value', { exact: true }).fill('noindex')
    await page.getByLabel('Path', { exact: true }).fill('/img/*')
    await save()
    const robots = async (path: string) =>
      (await fetch(new URL(path, url))).headers.get('x-robots-tag')
    await eventually(async () => expect(await robots('/img/a.txt')).toBe('noindex'))
    expect(await robots('/')).toBeNull()
    await page.reload()
    expect(await page.getByLabel('Path', { exact: true }).inputValue()).toBe('/img/*')
    await page.getByRole('button', { name: 'Remove X-Robots-Tag' }).click()
    await save()
    await eventually(async () => expect(await robots('/img/a.txt')).toBeNull())
  }, 60_000)

  test('what was changed is not lost by a click, nor by the back button', async () => {
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.waitForURL('**/sites/blog')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Versions kept').fill('3')
    const dialog = page.getByRole('dialog', { name: 'Discard your changes?' })
    for (const leave of [
      () => page.getByRole('link', { name: 'Overview' }).click(),
      () => page.evaluate(() => history.back()),
    ]) {
      await leave()
      await dialog.getByRole('button', { name: 'Continue editing' }).click()
      expect(new URL(page.url()).pathname).toBe('/sites/blog/settings')
      expect(await page.getByLabel('Versions kept').inputValue()).toBe('3')
    }
    await page.getByRole('link', { name: 'Overview' }).click()
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL('**/sites/blog')
    await page.getByRole('link', { name: 'Settings' }).click()
    expect(await page.getByLabel('Versions kept').inputValue()).toBe('10')
    await page.getByLabel('Versions kept').fill('3')
    await save()
    await page.reload()
    expect(await page.getByLabel('Versions kept').inputValue()).toBe('3')
  }, 60_000)

  test('are not written over what another program wrote since, unless they are saved once more', async () => {
    const repo = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
    const theirs = { indexFiles: ['theirs.html'] }
    await putRecord(repo, 'place.sitehost.settings', 'blog', theirs)
    await page.getByLabel('Versions kept').fill('5')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').getByText('changed elsewhere').waitFor()
    const stored = () => getRecord(repo, 'place.sitehost.settings', 'blog')
    expect(await stored()).toMatchObject(theirs)
    await save()
    expect(await stored()).toMatchObject({ history: { keep: 5 } })
    await page.getByLabel('Versions kept').fill('6')
    await save()
  }, 60_000)

  test('says what is wrong when the account’s server is away, and keeps what was typed', async () => {
    world.network.setFaults({ 'com.atproto.repo.applyWrites': { status: 503 } })
    await page.getByLabel('Versions kept').fill('4')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').first().waitFor()
    world.network.setFaults({})
    expect(await page.getByLabel('Versions kept').inputValue()).toBe('4')
    await save()
  }, 60_000)

  test('say that the account’s server is slow while it does not answer', async () => {
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/site/*/settings', async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.reload()
    await page.getByText('takes long to answer').waitFor()
    answer.resolve()
    await page.getByLabel('Versions kept').waitFor()
    await page.unrouteAll()
  }, 60_000)

  test('stay where they are when somebody signs out in another tab, and are saved after the next sign-in', async () => {
    await page.getByLabel('Versions kept').fill('7')
    const tab = await page.context().newPage()
    await tab.goto('/editor')
    await tab.getByRole('button', { name: 'Account: alice.test' }).click()
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByLabel('Your handle').waitFor()
    const said = page.getByText('You’re signed out. Sign in again in another tab')
    await said.waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).last().click()
    await said.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await said.waitFor()
    expect(await page.getByLabel('Versions kept').inputValue()).toBe('7')
    const { cookies } = await world.signedIn('alice.test')
    const again = [...cookies].map(([name, value]) => ({ name, value, url: world.app }))
    await page.context().addCookies(again)
    await tab.close()
    await save()
  }, 60_000)

  test('is accessible at both widths and in both themes, dirty too', async () => {
    await page.getByRole('button', { name: 'Add a header' }).click()
    await page.getByLabel('Name', { exact: true }).fill('X A')
    await page.getByRole('button', { name: 'Save changes' }).click()
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect([width, colorScheme, await violationsOf(page)]).toEqual([width, colorScheme, []])
      }
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
      expect(scrollWidth).toBe(clientWidth)
    }
  }, 60_000)

  test('is deleted only by its name, whatever is not saved', async () => {
    await page.getByRole('button', { name: 'Delete blog' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type blog to confirm').fill('block')
    await dialog.getByRole('button', { name: 'Delete blog' }).click()
    await dialog.getByRole('alert').getByText('That is not blog.').waitFor()
    await dialog.getByLabel('Type blog to confirm').fill('blog')
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL('**/editor')
    await page.getByText('blog is deleted.').waitFor()
    await eventually(async () => expect((await fetch(url)).status).toBe(404))
  }, 60_000)

  test('no page broke its own policy or threw', () => {
    expect(opened.problems).toEqual([])
  })
})
