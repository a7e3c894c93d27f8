import { type Browser, chromium } from 'playwright-core'
import { available, programPath } from '#tests/support/require.ts'

// The headless shell has the same engine without the windows of a browser, which take more processor time than the pages.
const own = process.env['CHROMIUM']
export const chromiumPath =
  own === undefined
    ? (programPath('chromium-headless-shell') ?? programPath('chromium'))
    : programPath(own)

/** Whether the suite can run; says so where it cannot. */
export const hasBrowser = await available('browser suites', async () => {
  if (chromiumPath === null) throw new Error('Chromium is not installed')
})

const withoutQuic = ['--disable-quic']

/** Chromium without a window, and without a word to anybody outside. `more`: its protocols, and where names lead. */
export async function startBrowser(more: readonly string[] = withoutQuic): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath ?? '',
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
