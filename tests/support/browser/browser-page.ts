import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core'
import type { AppClient } from '../../../devnet/app-client.ts'

export interface OpenedPage {
  readonly page: Page
  /** What was thrown in the page, what its policy refused, and what a page asked of a third party. */
  readonly problems: readonly string[]
}

/** A page of a browser of its own at the application's origin, signed in as `client` is. */
export async function openPage(
  browser: Browser,
  app: string,
  { client, ...options }: BrowserContextOptions & { readonly client?: AppClient } = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ locale: 'en-US', baseURL: app, ...options })
  const cookies = [...(client?.cookies ?? [])]
  await context.addCookies(cookies.map(([name, value]) => ({ name, value, url: app })))
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && message.text().includes('Content Security Policy')) {
      problems.push(message.text())
    }
  })
  page.on('request', (request) => {
    if (isToThirdParty(request, app)) problems.push(`third party: ${request.url()}`)
  })
  return { page, problems }
}

/** Whether it is neither a page nor of the application or the origin of the page that it is for. */
function isToThirdParty(request: Request, app: string): boolean {
  const { protocol, origin } = new URL(request.url())
  if (request.isNavigationRequest() || protocol === 'data:' || protocol === 'blob:') return false
  return ![new URL(app).origin, new URL(request.frame().url()).origin].includes(origin)
}

/** What axe has to say against the page as it is now: rule and place. */
export async function violationsOf(page: Page): Promise<string[]> {
  await settled(page)
  // An evaluated string is not subject to the page's policy.
  await page.evaluate(axe.source)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))
  })
}

/** Until what moves or fades has arrived: on its way it has colours that nobody chose. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}

/** How much of the page has moved without a press since it was loaded. */
export const layoutShiftOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          const shifts = list.getEntries() as (PerformanceEntry & {
            readonly value: number
            readonly hadRecentInput: boolean
          })[]
          const uninvited = shifts.filter(({ hadRecentInput }) => !hadRecentInput)
          resolve(uninvited.reduce((sum, { value }) => sum + value, 0))
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        // Without an entry the observer is never called.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)))
      }),
  )
