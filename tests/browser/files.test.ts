import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { fromBufferPromise } from 'yauzl'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

describe.skipIf(!hasBrowser)('the files of a site', () => {
  let world: World
  let browser: Browser
  let alice: AppClient
  let page: Page
  let problems: readonly string[]
  let url: string

  const manyFiles = 1200
  const about = 'Über uns\r\nZweite Zeile\r\n'
  const files = [
    textFile('index.html', '<h1>one</h1>\n'),
    { path: 'notes/about.txt', body: new Blob([Uint8Array.of(0xef, 0xbb, 0xbf), about]) },
    textFile('_redirects', '/old /index.html 302\n/notes/about.txt /elsewhere\n'),
    { path: 'img/dot.png', body: new Blob([Uint8Array.of(0x89, 0x50, 0, 1)]) },
  ]
  const many = Array.from({ length: manyFiles }, (_, n) => textFile(`many/${n}.txt`, `${n}`))

  beforeAll(async () => {
    world = await startWorld()
    browser = await startBrowser()
    alice = await world.signedIn('alice.test')
    url = String((await alice.publish('blog', [...files, ...many]))['url'])
    ;({ page, problems } = await openPage(browser, world.app, { client: alice }))
    await page.goto('/sites/blog')
    await page.getByRole('link', { name: 'Files' }).click()
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const tree = () => page.getByRole('treegrid', { name: 'Files of the live version' })
  const row = (name: string) => tree().getByRole('row').filter({ hasText: name }).first()
  const visit = async (path: string) =>
    new Uint8Array(await (await fetch(url + path)).arrayBuffer())
  const focusedRow = () =>
    page.evaluate(() => document.activeElement?.closest('tr')?.textContent ?? '')
  const field = () => page.getByRole('textbox', { name: /^Content of/ })
  const edit = async (name: string) => {
    await row(name).getByRole('link', { name, exact: true }).click()
    await field().waitFor()
  }

  test('are a tree that the arrow keys open, and a long folder is drawn as it is read', async () => {
    await row('index.html').waitFor()
    const first = tree().getByRole('row', { name: /img/ })
    await first.focus()
    const keys = page.keyboard
    await keys.press('ArrowRight')
    await row('dot.png').waitFor()
    await keys.press('ArrowDown')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('dot.png')
    await keys.press('ArrowLeft')
    await keys.press('ArrowLeft')
    await row('dot.png').waitFor({ state: 'detached' })
    expect(await violationsOf(page)).toEqual([])
    await keys.press('ArrowDown')
    await keys.press('ArrowRight')
    await row('0.txt').waitFor()
    expect(await tree().getByRole('row').count()).toBeLessThan(500)
    await keys.press('End')
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(
        'index.html',
      ),
    )
    expect(await tree().getByRole('row').count()).toBeGreaterThan(manyFiles)
    await keys.press('Home')
    await keys.press('ArrowDown')
    await keys.press('ArrowLeft')
    await row('0.txt').waitFor({ state: 'detached' })
  }, 60_000)

  test('are filtered while one types', async () => {
    await page.getByLabel('Filter files').pressSequentially('many 119')
    await page.getByText(`12 of ${(files.length + manyFiles).toLocaleString('en')} files`).waitFor()
    await row('1190.txt').waitFor()
    await page.getByLabel('Filter files').fill('nothing like it')
    await page.getByText('No file matches').waitFor()
    await page.getByLabel('Filter files').fill('')
    await row('index.html').waitFor()
  }, 60_000)

  test('are downloaded as a zip', async () => {
    const begun = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as zip' }).click()
    const download = await begun
    expect(download.suggestedFilename()).toBe('blog-live.zip')
    const zip = await fromBufferPromise(Buffer.from(await Bun.file(await download.path()).bytes()))
    let entries = 0
    for await (const _ of zip.eachEntry()) entries++
    expect(entries).toBe(files.length + manyFiles)
  }, 60_000)

  test('are edited and published, byte for byte, and the change is undone', async () => {
    await tree().getByRole('button', { name: 'Open folder notes' }).click()
    await edit('about.txt')
    expect(await field().inputValue()).toBe('Über uns\nZweite Zeile\n')
    await field().press('End')
    await page.keyboard.type(', hallo')
    await page.getByText('Not published yet').waitFor()
    expect(await violationsOf(page)).toEqual([])
    // Tab is not for the text: one gets out of it.
    await page.keyboard.press('Tab')
    expect(await field().evaluate((element) => element === document.activeElement)).toBe(false)
    await page.getByRole('link', { name: 'Versions', exact: true }).click()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await page.keyboard.press('Control+s')
    await page.getByText('notes/about.txt is live for visitors now.').waitFor()
    const edited = about.replace('uns\r\n', 'uns, hallo\r\n')
    expect(await visit('notes/about.txt')).toEqual(new TextEncoder().encode(`\uFEFF${edited}`))
    await page.getByText('No changes').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => expect(await field().inputValue()).not.toContain('hallo'))
    expect(await visit('notes/about.txt')).toEqual(new TextEncoder().encode(`\uFEFF${about}`))
    // Whoever comes back to the list is where they left it.
    await page.getByRole('link', { name: 'All files' }).press('Enter')
    await eventually(async () => expect(await focusedRow()).toContain('about.txt'))
  }, 120_000)

  test('that somebody else has changed meanwhile are compared, and nothing is lost', async () => {
    await edit('index.html')
    await alice.publish('blog', [textFile('index.html', '<h1>theirs</h1>\n'), ...files.slice(1)])
    await field().fill('<h1>mine</h1>\n')
    await page.getByRole('button', { name: 'Publish changes' }).click()
    await page.getByText('This file was changed meanwhile').waitFor()
    expect(new TextDecoder().decode(await visit(''))).toBe('<h1>theirs</h1>\n')
    expect(await field().inputValue()).toBe('<h1>mine</h1>\n')
    await page.getByRole('button', { name: 'Compare' }).click()
    const compared = page.getByRole('region', { name: 'From theirs to yours' })
    expect(await compared.locator('del').allTextContents()).toEqual(['<h1>theirs</h1>'])
    expect(await compared.locator('ins').allTextContents()).toEqual(['<h1>mine</h1>'])
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Publish mine' }).click()
    await page.getByText('index.html is live for visitors now.').waitFor()
    expect(new TextDecoder().decode(await visit(''))).toBe('<h1>mine</h1>\n')
  }, 120_000)

  test('a change that is undone takes back its own file alone, and never what somebody else made of it', async () => {
    const undo = () => page.getByRole('button', { name: 'Undo' }).last().click()
    const mine = textFile('index.html', '<h1>mine</h1>\n')
    const others = [textFile('notes/about.txt', 'theirs'), ...files.slice(2)]
    await alice.publish('blog', [mine, ...others])
    await undo()
    await eventually(async () => expect(await field().inputValue()).toContain('theirs'))
    expect(new TextDecoder().decode(await visit(''))).toBe('<h1>theirs</h1>\n')
    expect(new TextDecoder().decode(await visit('notes/about.txt'))).toBe('theirs')
    await field().fill('<h1>again</h1>\n')
    await page.keyboard.press('Control+s')
    const visited = async () => new TextDecoder().decode(await visit(''))
    await eventually(async () => expect(await visited()).toContain('again'))
    await page.getByText('No changes').waitFor()
    await alice.publish('blog', [textFile('index.html', '<h1>newer</h1>\n'), ...others])
    await undo()
    await page.getByText('Not undone: ').waitFor()
    expect(new TextDecoder().decode(await visit(''))).toBe('<h1>newer</h1>\n')
  }, 120_000)

  test('are created, renamed and deleted', async () => {
    await page.getByRole('link', { name: 'All files' }).click()
    await page.getByRole('button', { name: 'New file' }).click()
    await page.getByLabel('Path', { exact: true }).fill('index.html')
    await page.getByRole('button', { name: 'Create file' }).click()
    await page.getByText('There is a file index.html already').waitFor()
    await page.getByLabel('Path', { exact: true }).fill('new/page.html')
    await page.keyboard.press('Enter')
    await field().waitFor()
    await page.getByRole('link', { name: 'All files' }).click()
    await page.getByLabel('Filter files').fill('dot.png')
    await row('dot.png').getByRole('button', { name: 'More for dot.png' }).click()
    await page.getByRole('button', { name: 'Rename or move' }).click()
    await page.getByLabel('Path', { exact: true }).fill('pixel.png')
    await page.keyboard.press('Enter')
    await page.getByText('pixel.png is live for visitors now.').waitFor()
    expect(await visit('pixel.png')).toEqual(Uint8Array.of(0x89, 0x50, 0, 1))
    expect((await fetch(`${url}img/dot.png`)).status).toBe(404)
    await page.getByLabel('Filter files').fill('')
    await row('pixel.png').getByRole('button', { name: 'More for pixel.png' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete file' }).click()
    await page.getByText('pixel.png is deleted.').waitFor()
    // The focus does not go with the row.
    await row('pixel.png').waitFor({ state: 'detached' })
    await eventually(async () => expect(await focusedRow()).not.toBe(''))
    expect((await fetch(`${url}pixel.png`)).status).toBe(404)
  }, 120_000)

  test('explain their addresses, on the first page of the site too', async () => {
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByLabel('Address or path').fill('/nothing')
    await page.keyboard.press('Enter')
    await page.getByText('Status 404').waitFor()
    await page.getByRole('link', { name: 'Files' }).click()
    const address = page.getByLabel('Address or path')
    await address.fill('/old')
    await page.keyboard.press('Enter')
    await page
      .getByText('Line 1 of _redirects applies. Visitors are sent to /index.html.')
      .waitFor()
    await address.fill(`${url}notes/about.txt`)
    await page.keyboard.press('Enter')
    await page.getByText('Line 2 of _redirects does not apply').waitFor()
    await page.getByText(/^Headers \(/).click()
    await page.getByRole('row', { name: /x-content-type-options/ }).waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await violationsOf(page)).toEqual([])
    const [inside, outside] = await page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement
      return [scrollWidth, clientWidth]
    })
    expect(inside).toBe(outside)
    await address.fill('https://example.com/')
    await page.keyboard.press('Enter')
    await page.getByText('Enter a path, such as /about').waitFor()
    expect(problems).toEqual([])
  }, 60_000)
})
