import type { Browser, Page } from 'playwright-core'
import type { AppClient } from '../../devnet/app-client.ts'

// Chromium's preset "Slow 4G", with the processor that Lighthouse assumes of a phone.
const network = {
  offline: false,
  latency: 562.5,
  downloadThroughput: 180_000,
  uploadThroughput: 84_375,
}
const slowDown = 4

interface Noted {
  readonly paintedMs: number
  readonly shift: number
  readonly interactionsMs: readonly number[]
}

interface SlowPageOptions {
  readonly width?: number
  readonly client?: AppClient
  /** Only the processor is slow. */
  readonly isOnline?: boolean
}

/** A page of a slow phone with a slow network, which has never been at the application. */
export async function openSlowPage(
  browser: Browser,
  app: string,
  { width = 360, client, isOnline = false }: SlowPageOptions = {},
): Promise<SlowPage> {
  const viewport = { width, height: 800 }
  const context = await browser.newContext({ baseURL: app, locale: 'en-US', viewport })
  const cookies = [...(client?.cookies ?? [])]
  await context.addCookies(cookies.map(([name, value]) => ({ name, value, url: app })))
  const page = await context.newPage()
  const devTools = await context.newCDPSession(page)
  const scripts = new Map<string, number>()
  const heads = new Map<string, number>()
  devTools.on('Network.responseReceived', ({ requestId, response, type }) => {
    if (type === 'Script') heads.set(requestId, response.encodedDataLength)
  })
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const head = heads.get(requestId)
    if (head !== undefined) scripts.set(requestId, encodedDataLength - head)
  })
  await devTools.send('Network.enable')
  if (!isOnline) await devTools.send('Network.emulateNetworkConditions', network)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowDown })
  await page.addInitScript(note)
  return {
    page,
    noted: () => page.evaluate(() => (globalThis as unknown as { noted: Noted }).noted),
    scriptBytes: () => [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

export interface SlowPage extends AsyncDisposable {
  readonly page: Page
  /** Since the document was loaded: the largest contentful paint, the layout's shifts, each interaction until its paint. */
  readonly noted: () => Promise<Noted>
  /** As sent, without the headers of their responses. */
  readonly scriptBytes: () => number
}

/** Runs in the page before its own scripts. */
function note(): void {
  const noted = { paintedMs: 0, shift: 0, interactionsMs: [] as number[] }
  Object.assign(globalThis, { noted })
  const observe = (type: string, on: (entry: never) => void) => {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) on(entry as never)
    })
    observer.observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
  }
  observe('largest-contentful-paint', (entry: PerformanceEntry) => {
    noted.paintedMs = entry.startTime
  })
  observe('layout-shift', (entry: { value: number; hadRecentInput: boolean }) => {
    if (!entry.hadRecentInput) noted.shift += entry.value
  })
  observe('event', (entry: { duration: number; interactionId: number }) => {
    if (entry.interactionId > 0) noted.interactionsMs.push(entry.duration)
  })
}
