import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { putWispSite, wispEntry, wispFile } from '#tests/support/visitors/wisp-sites.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import type { PdsAccount } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startWorldOfAlice, type World } from '../support/world.ts'

describe.skipIf(!hasBrowser)('sites of another network, below the list', () => {
  let world: World
  let browser: Browser
  let alice: AppClient
  let repo: PdsAccount
  let page: Page
  let problems: readonly string[]

  beforeAll(async () => {
    const environment = { ALSO_SERVE: 'place.wisp' }
    ;({ world, alice, repo } = await startWorldOfAlice({ environment }))
    browser = await startBrowser()
    const home = wispEntry('index.html', await wispFile(repo, 'fs', '<h1>Home</h1>'))
    await putWispSite(repo, 'blog', home)
    await eventually(async () => {
      const answer = await alice.fetch('/api/user/foreign-sites')
      expect(((await answer.json()) as { sites: unknown[] }).sites).toHaveLength(1)
    })
    ;({ page, problems } = await openPage(browser, world.app, { client: alice }))
    page.setDefaultTimeout(30_000)
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const bring = () => page.getByRole('button', { name: 'Bring it over: blog' })

  test('one press brings one over; another time it asks for another name', async () => {
    await page.goto('/editor')
    await page.getByRole('heading', { name: 'On place.wisp' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await bring().click()
    await page.getByText('blog is one of your sites now.').waitFor()
    await page.getByRole('link', { name: 'Here as blog' }).waitFor()
    const own = page.getByRole('list', { name: 'Your sites' })
    await own.getByRole('link', { name: 'blog', exact: true }).waitFor()

    // It goes its own way: what is published there afterwards is another site again.
    const other = wispEntry('index.html', await wispFile(repo, 'fs', '<h1>Other</h1>'))
    await putWispSite(repo, 'blog', other)
    await eventually(async () => {
      await page.reload()
      await bring().waitFor({ timeout: 2_000 })
    }, 20_000)
    await bring().click()
    const dialog = page.getByRole('dialog', { name: 'Bring it over: blog' })
    await dialog.getByLabel('Site name').fill('blog')
    await dialog.getByText('You have a site named blog already.', { exact: true }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByLabel('Site name').fill('other')
    await dialog.getByRole('button', { name: 'Bring it over' }).click()
    await page.getByRole('link', { name: 'Here as other' }).waitFor()
    expect(problems).toEqual([])
  }, 60_000)
})
