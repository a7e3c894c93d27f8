import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { available } from '#tests/support/require.ts'

// The headless shell has the same engine without the windows of a browser, which take more processor time than the pages.
export const chromiumPath =
  process.env['CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ??
  '/usr/bin/chromium-headless-shell'

/** Whether the suite can run; says so where it cannot. */
export const hasBrowser = await available('browser suites', async () => {
  if (!existsSync(chromiumPath)) throw new Error(`no Chromium at ${chromiumPath}`)
})

const withoutQuic = ['--disable-quic']

/** Chromium without a window, and without a word to anybody outside. `more`: its protocols, and where names lead. */
export async function startBrowser(more: readonly string[] = withoutQuic): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })
}
