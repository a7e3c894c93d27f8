// `bun bench/web.ts [rounds] [parts]`: the web app in Chromium with a processor that is four times slower and "slow 4G": when pages are
// painted, what moves, how much script they load, how long it takes from page to page, and how long a press waits while 1000
// files are read. The account has ten sites. Medians of rounds, of shifts and presses the worst. Parts: paints, shifts, pages, presses.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { devSettings } from '#main/commands/dev-network.ts'
import { startBrowser } from '#tests/support/browser/browser.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { startDevnet } from '../devnet/start.ts'
import { freshAccount, signedIn } from './support/account.ts'
import { kB, uploadOf, words } from './support/files.ts'
import { median, print, type Row } from './support/rows.ts'
import { openSlowPage } from './web/slow-page.ts'

const rounds = Number(process.argv[2] ?? 3)
const parts = process.argv.slice(3)

const sites = 10
const filesRead = 1000

/** Where the page is, and what is there when it is done. */
const ownPages: readonly (readonly [path: string, done: string])[] = [
  ['/editor', 'main li a[href="/sites/site-0"]'],
  ['/onboarding', 'main h1'],
  ['/sites/site-3', 'main h1'],
  ['/sites/site-3/files', 'main >> text=index.html'],
  ['/sites/site-3/versions', 'main li'],
  ['/sites/site-3/domains', 'main h2'],
  ['/sites/site-3/settings', 'main form'],
  ['/account', 'main h2'],
]

interface Place {
  readonly browser: Browser
  readonly app: string
  readonly client: AppClient
  readonly folder: string
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-bench-'))
  {
    await using network = await startDevnet({ dir: join(dir, 'devnet') })
    const settings = { ...devSettings(network), LOG_LEVEL: 'error' }
    const data = join(dir, 'sitehost')
    await using service = await startServiceProcess(
      ['serve', '--port', '0', '--data', data],
      settings,
    )
    const { app } = service.ready
    const client = await signedIn(app, await freshAccount(network))
    for (let i = 0; i < sites; i++) {
      await client.publish(`site-${i}`, [uploadOf({ path: 'index.html', bytes: words(2 * kB) })])
    }
    const folder = join(dir, 'garden')
    await fill(folder)
    const browser = await startBrowser()
    const place = { browser, app, client, folder }
    try {
      await compress(place)
      for (const [part, measure] of Object.entries({
        paints,
        shifts,
        pages: pageToPage,
        presses,
      })) {
        if (parts.length === 0 || parts.includes(part)) print(...(await measure(place)))
      }
    } finally {
      await browser.close()
    }
  }
  await rm(dir, { recursive: true })
}

async function fill(folder: string): Promise<void> {
  for (let i = 0; i < filesRead; i++) {
    if (i % 100 === 0) await mkdir(join(folder, `${i / 100}`), { recursive: true })
    await Bun.write(join(folder, `${Math.floor(i / 100)}/page-${i}.html`), words(10 * kB))
  }
  await Bun.write(join(folder, 'index.html'), '<!doctype html><title>Garden</title>')
}

/** At a loopback address the service compresses each file for its first request. */
async function compress({ browser, app, client }: Place): Promise<void> {
  for (const [path, done] of [['/', 'form'] as const, ...ownPages]) {
    const who = path === '/' ? {} : { client }
    await using slow = await openSlowPage(browser, app, { isOnline: true, ...who })
    await slow.page.goto(path)
    await slow.page.locator(done).first().waitFor()
  }
}

async function paints({ browser, app, client }: Place): Promise<Row[]> {
  const rows: Row[] = []
  const pages = [
    ['/', 'form', 1.8, 85],
    ...ownPages.map(([path, done]) => [path, done, path === '/sites/site-3' ? 2.2 : null, 110]),
  ] as const
  for (const [path, done, budget, kilobytes] of pages as readonly (readonly [
    string,
    string,
    number | null,
    number,
  ])[]) {
    const painted: number[] = []
    let bytes = 0
    for (let round = 0; round < rounds; round++) {
      await using slow = await openSlowPage(browser, app, path === '/' ? {} : { client })
      await slow.page.goto(path)
      await slow.page.locator(done).first().waitFor()
      await slow.page.waitForLoadState('networkidle')
      painted.push((await slow.noted()).paintedMs / 1000)
      bytes = slow.scriptBytes()
    }
    const value = median(painted)
    const detail = painted.map((time) => time.toFixed(2)).join(' ')
    rows.push({ what: `${path}, largest contentful paint`, value, unit: 's', budget, detail })
    const sent = { value: bytes / kB, unit: 'kB', budget: kilobytes, detail: '' }
    rows.push({ what: `${path}, script as sent`, ...sent })
  }
  return rows
}

async function shifts({ browser, app, client }: Place): Promise<Row[]> {
  const rows: Row[] = []
  for (const width of [360, 1280]) {
    const found: string[] = []
    let worst = 0
    for (const [path, done] of [['/', 'form'] as const, ...ownPages]) {
      await using slow = await openSlowPage(browser, app, {
        width,
        ...(path !== '/' && { client }),
      })
      await slow.page.goto(path)
      await slow.page.locator(done).first().waitFor()
      await slow.page.waitForLoadState('networkidle')
      const { shift } = await slow.noted()
      worst = Math.max(worst, shift)
      if (shift > 0) found.push(`${path} ${shift.toFixed(3)}`)
    }
    const detail = found.join(', ')
    rows.push({
      what: `layout shift, ${width} px wide`,
      value: worst,
      unit: '',
      budget: 0.02,
      detail,
    })
  }
  return rows
}

/** From a press until the other page is painted, whose link somebody pointed at before. */
async function pageToPage({ browser, app, client }: Place): Promise<Row[]> {
  const times: number[] = []
  await using slow = await openSlowPage(browser, app, { width: 1280, client })
  const { page } = slow
  await page.goto('/editor')
  for (let at = 0; at < rounds * 3; at++) {
    const link = page.locator(`main li a[href="/sites/site-${at % sites}"]`).first()
    await link.hover()
    await page.waitForLoadState('networkidle')
    times.push(await untilPainted(page, () => link.click(), `/sites/site-${at % sites}`))
    const back = page.locator('header a[href="/editor"]').first()
    await back.hover()
    await page.waitForLoadState('networkidle')
    times.push(await untilPainted(page, () => back.click(), '/editor'))
  }
  const detail = `${Math.max(...times).toFixed(0)} ms at most`
  return [{ what: 'page to page', value: median(times), unit: 'ms', budget: 100, detail }]
}

async function untilPainted(page: Page, press: () => Promise<void>, path: string): Promise<number> {
  const heading = await page.locator('main h1').textContent()
  await page.evaluate(
    ([before]) => {
      const { promise, resolve } = Promise.withResolvers<number>()
      Object.assign(globalThis, { painted: promise })
      addEventListener(
        'click',
        ({ timeStamp }) => {
          const look = () => {
            const shown = document.querySelector<HTMLElement>('main h1')?.textContent
            if (shown === undefined || shown === before) return void requestAnimationFrame(look)
            // The frame that it is in, which this runs at the beginning of, has been drawn when the next task runs.
            const { port1, port2 } = new MessageChannel()
            port1.onmessage = () => resolve(performance.now() - timeStamp)
            port2.postMessage(null)
          }
          requestAnimationFrame(look)
        },
        { capture: true, once: true },
      )
    },
    [heading],
  )
  await press()
  await page.waitForURL(`**${path}`)
  return await page.evaluate(() => (globalThis as unknown as { painted: Promise<number> }).painted)
}

/** While a folder is read: by somebody who is not signed in and types, and while it is published. */
async function presses({ browser, app, client, folder }: Place): Promise<Row[]> {
  const chosen = await (async () => {
    await using slow = await openSlowPage(browser, app, { isOnline: true })
    const { page } = slow
    await page.goto('/')
    await page.waitForFunction(() => document.title.includes(' · '))
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    const field = page.getByLabel('Your handle')
    const read = page.getByText('1,001 files').first()
    await field.focus()
    for (let i = 0; i < 100 && (i < 20 || !(await read.isVisible())); i++)
      await page.keyboard.press('a')
    await read.waitFor()
    await page.getByText('stays in this browser').waitFor()
    return (await slow.noted()).interactionsMs
  })()
  const published = await (async () => {
    await using slow = await openSlowPage(browser, app, { isOnline: true, client })
    const { page } = slow
    await page.goto('/onboarding')
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const menu = page.getByRole('button', { name: /^Account/ })
    for (let i = 0; i < 60; i++) {
      await menu.click()
      await page.keyboard.press('Escape')
    }
    return (await slow.noted()).interactionsMs
  })()
  return [
    rowOf('a letter while 1000 files are chosen', chosen),
    rowOf('a press while 1000 files are published', published),
  ]
}

const rowOf = (what: string, times: readonly number[]): Row => ({
  what: `${what}, until it is painted`,
  value: Math.max(0, ...times),
  unit: 'ms',
  budget: 200,
  detail: `of ${times.length} that took 16 ms or more`,
})

await main()
