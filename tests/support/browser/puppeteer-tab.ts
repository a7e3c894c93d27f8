import puppeteer, { type ElementHandle, type LaunchOptions, type Page } from 'puppeteer-core'
import { programPath } from '#tests/support/require.ts'
import { chromiumPath } from './browser.ts'
import type { InPage, Tab } from './tab.ts'

export const firefoxPath = programPath(process.env['FIREFOX'] ?? 'firefox-esr')

type Evaluated = (...args: unknown[]) => unknown

const optionsOf: Readonly<Record<'chromium' | 'firefox', LaunchOptions>> = {
  chromium: {
    executablePath: chromiumPath ?? '',
    headless: 'shell',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--lang=en-US'],
  },
  firefox: { browser: 'firefox', executablePath: firefoxPath ?? '', headless: true },
}

/** Chromium by its DevTools protocol, Firefox by WebDriver BiDi. */
export async function openPuppeteerTab(engine: 'chromium' | 'firefox'): Promise<Tab> {
  const browser = await puppeteer.launch(optionsOf[engine])
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 900 })
  return {
    goto: async (url) => void (await page.goto(url)),
    run: async (work, ...args) => (await page.evaluate(work as Evaluated, ...args)) as never,
    click: async (find, ...args) => await (await found(page, find, args)).click(),
    type: async (text, find, ...args) => {
      const field = await found(page, find, args)
      await field.evaluate((element) => (element as HTMLInputElement).select())
      await field.press('Backspace')
      await field.type(text)
    },
    [Symbol.asyncDispose]: async () => await browser.close(),
  }
}

async function found<Args extends unknown[]>(
  page: Page,
  find: InPage<Args, Element | null>,
  args: Args,
) {
  const element = (await page.evaluateHandle(find as Evaluated, ...args)).asElement()
  if (element === null) throw new Error(`not found: ${JSON.stringify(args)}`)
  return element as ElementHandle<Element>
}
