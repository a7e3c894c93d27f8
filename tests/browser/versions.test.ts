import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { DeployClient } from '#tests/support/publishing/deploy-client.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { createSession, getRecord, putRecord } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

describe.skipIf(!hasBrowser)('the versions of a site', () => {
  let world: World
  let browser: Browser
  let alice: AppClient
  let page: Page
  let problems: readonly string[]
  let url: string

  beforeAll(async () => {
    world = await startWorld()
    browser = await startBrowser()
    alice = await world.signedIn('alice.test')
    for (const text of ['one', 'two']) {
      const result = await alice.publish('blog', [
        textFile('index.html', `<h1>${text}</h1>`),
        textFile(`${text}.txt`, text),
      ])
      url = String(result['url'])
    }
    ;({ page, problems } = await openPage(browser, world.app, { client: alice }))
    await page.goto('/sites/blog')
    await page.getByRole('link', { name: 'Versions', exact: true }).click()
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const rows = () => page.getByRole('list', { name: 'Versions of this site' }).locator('> li')
  const visible = async () => await (await fetch(url)).text()

  test('are listed with what changed', async () => {
    await rows().nth(1).waitFor()
    expect(await rows().count()).toBe(2)
    await rows().nth(0).getByText('Live', { exact: true }).waitFor()
    await rows().nth(0).getByText('What changed').click()
    const changes = rows().nth(0).locator('details li')
    await changes.nth(2).waitFor()
    expect(await changes.allInnerTexts()).toEqual([
      expect.stringMatching(/^Added\s+two\.txt/),
      expect.stringMatching(/^Changed\s+index\.html/),
      expect.stringMatching(/^Removed\s+one\.txt/),
    ])
    await rows().nth(1).getByText('What changed').click()
    await rows().nth(1).getByText('This is the oldest version').waitFor()
    expect(await violationsOf(page)).toEqual([])
  }, 60_000)

  test('are restored, and the restore is undone', async () => {
    await rows().nth(1).getByRole('button', { name: 'Restore' }).click()
    await page.getByText('blog is back at this version.').waitFor()
    expect(await visible()).toBe('<h1>one</h1>')
    await rows().nth(1).getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    expect(await visible()).toBe('<h1>two</h1>')
    await rows().nth(0).getByText('Live', { exact: true }).waitFor()
  }, 60_000)

  test('are described and pinned', async () => {
    const more = rows().nth(1).getByRole('button', { name: 'More for Published' })
    await more.click()
    await page.getByRole('button', { name: 'Describe this version' }).click()
    await page.getByLabel('Description').fill('The first one')
    await page.keyboard.press('Enter')
    await rows().nth(1).getByText('The first one').waitFor()
    await rows().nth(1).getByRole('button', { name: 'More for The first one' }).click()
    await page.getByRole('button', { name: 'Pin, so that' }).click()
    await rows().nth(1).getByText('Pinned', { exact: true }).waitFor()
  }, 60_000)

  test('are forgotten after their site’s name is typed, with a receipt', async () => {
    const address = await rows().nth(1).getByRole('link', { name: /^v--/ }).getAttribute('href')
    await rows().nth(1).getByRole('button', { name: 'More for' }).click()
    await page.getByRole('button', { name: 'Forget everywhere' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type blog to confirm').fill('blag')
    await dialog.getByRole('button', { name: 'Forget this version' }).click()
    await dialog.getByText('That is not blog.').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByLabel('Type blog to confirm').fill('blog')
    await dialog.getByRole('button', { name: 'Forget this version' }).click()
    await dialog.getByText(/2 stored files \(.+\) that nothing else used/).waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await rows().nth(1).waitFor({ state: 'detached' })
    expect((await fetch(address ?? '')).status).toBe(410)
  }, 60_000)

  test('of another program are listed as such and can be left for an earlier one', async () => {
    const repo = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
    const record = (await getRecord(repo, 'place.sitehost.fs', 'blog')) as ManifestRecord
    const entries = record.root.entries.filter(({ name }) => name === 'index.html')
    const changed = { ...record, root: { ...record.root, entries }, fileCount: 1 }
    await putRecord(repo, 'place.sitehost.fs', 'blog', changed)
    await eventually(async () => expect((await fetch(`${url}two.txt`)).status).toBe(404))
    await page.reload()
    await rows().nth(0).getByText('by another program').waitFor()
    await rows().nth(1).getByRole('button', { name: 'Restore' }).click()
    await page.getByText('blog is back at this version.').waitFor()
    expect((await fetch(`${url}two.txt`)).status).toBe(200)
  }, 60_000)

  test('that are previews are looked at and promoted, and that is undone', async () => {
    const deploys = new DeployClient(alice)
    const { result: live } = await deploys.deploy('news', { 'index.html': 'live' })
    const preview = { alias: 'pr-1' }
    await deploys.deploy('news', { 'index.html': 'preview' }, { preview, base: 'live' })
    const visitors = async (address: unknown) => await (await fetch(String(address))).text()
    await page.goto('/sites/news/versions')
    await rows().nth(0).getByText('Preview', { exact: true }).last().waitFor()
    const address = await rows()
      .nth(0)
      .getByRole('link', { name: /^pr-1--/ })
      .getAttribute('href')
    expect([await visitors(address), await visitors(live['url'])]).toEqual(['preview', 'live'])
    expect(await violationsOf(page)).toEqual([])
    await rows().nth(0).getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('The preview is live as news.').waitFor()
    expect(await visitors(live['url'])).toBe('preview')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    expect(await visitors(live['url'])).toBe('live')
  }, 60_000)

  test('fit a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    const [inside, outside] = await page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement
      return [scrollWidth, clientWidth]
    })
    expect(inside).toBe(outside)
    expect(await violationsOf(page)).toEqual([])
    expect(problems).toEqual([])
  }, 60_000)
})

interface ManifestRecord {
  readonly root: { readonly entries: readonly { readonly name: string }[] }
}
