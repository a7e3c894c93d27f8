import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { version } from '#package.json'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startWorld, type World } from '#tests/support/world.ts'
import type { AppClient } from '../../devnet/app-client.ts'

const metricsToken = 'scrapes-metrics-here'

describe.skipIf(!hasBrowser)('an error that nobody foresaw', () => {
  let world: World
  let browser: Browser
  let client: AppClient
  let folder: string

  beforeAll(async () => {
    world = await startWorld({ environment: { METRICS_TOKEN: metricsToken } })
    browser = await startBrowser()
    client = await world.signedIn('alice.test')
    await client.publish('blog', [{ path: 'index.html', body: new Blob(['<h1>Blog']) }])
    folder = await mkdtemp(join(tmpdir(), 'sitehost-errors-'))
    await writeFile(join(folder, 'index.html'), '<title>Garden</title><h1>Garden')
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const open = async (path: string, fault = () => {}) => {
    const opened = await openPage(browser, world.app, {
      client,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await opened.page.addInitScript(fault)
    const posted: string[] = []
    opened.page.on('request', (request) => {
      if (request.url().endsWith('/api/page-errors')) posted.push(request.postData() ?? '')
    })
    await opened.page.goto(path)
    return { ...opened, posted }
  }
  const counted = async (name: string) => {
    const headers = { authorization: `Bearer ${metricsToken}` }
    const text = await (await fetch(`${world.app}/metrics`, { headers })).text()
    const series = `sitehost_page_errors_total{name="${name}",engine="blink"} `
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.slice(series.length),
    )
  }
  const copied = async (page: Page) => {
    await page.getByRole('button', { name: 'Copy error' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    return await page.evaluate(() => navigator.clipboard.readText())
  }
  const expectFine = async (page: Page) => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await violationsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    }
  }

  test('of a publish is shown with its name, can be copied, and is counted by its name alone', async () => {
    const { page, posted, problems } = await open('/onboarding', () => {
      XMLHttpRequest.prototype.open = () => {
        throw new TypeError('Object not disposable')
      }
    })
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    await page.getByLabel('Site name').fill('garden')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Something went wrong in this page. Try again.').waitFor()
    await page.getByText('TypeError: Object not disposable', { exact: true }).waitFor()
    await expectFine(page)
    const text = await copied(page)
    expect(text).toMatch(/^TypeError: Object not disposable\n +at /)
    expect(text).toContain(`\n/onboarding\nMozilla/5.0`)
    expect(text).toEndWith(`\nSitehost ${version}`)
    await eventually(async () => expect(await counted('TypeError')).toBe(1))
    expect(posted).toEqual(['{"name":"TypeError"}'])
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('of a page that cannot be drawn is shown in its place', async () => {
    const { page } = await open('/sites/blog', () => {
      Date.parse = () => {
        throw new RangeError('Invalid time value')
      }
    })
    await page.getByRole('heading', { name: 'This page stopped working' }).waitFor()
    await page.getByText('RangeError: Invalid time value', { exact: true }).waitFor()
    await expectFine(page)
    expect(await copied(page)).toContain('\n/sites/blog\n')
    await eventually(async () => expect(await counted('RangeError')).toBeGreaterThan(0))
    await page.context().close()
  })

  test('that nothing has caught is counted, a few for each page that was loaded', async () => {
    const { page, posted } = await open('/')
    await page.waitForFunction(() => document.title.includes(' · '))
    await page.evaluate("void Promise.reject(new DOMException('', 'DataCloneError'))")
    await eventually(async () => expect(posted).toEqual(['{"name":"DataCloneError"}']))
    await page.evaluate(() => {
      for (let n = 0; n < 5; n++) {
        setTimeout(() => {
          throw Object.assign(new Error('of /sites/secret'), { name: 'Secret' })
        })
      }
    })
    await eventually(async () => expect(posted).toHaveLength(5))
    await page.evaluate('void Promise.reject(new Error())')
    // What it would send leaves before this.
    await page.evaluate('fetch("/healthz").then((answer) => answer.text())')
    expect(posted).toHaveLength(5)
    expect(new Set(posted.slice(1))).toEqual(new Set(['{"name":"other"}']))
    await page.context().close()
  })

  test('of the administrators’ area is counted, too', async () => {
    const { page } = await open('/admin', () => {
      addEventListener('load', () => void Promise.reject(new SyntaxError('x')))
    })
    await eventually(async () => expect(await counted('SyntaxError')).toBe(1))
    await page.context().close()
  })
})
