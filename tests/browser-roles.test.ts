import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { type OwnDatabase, sqliteFile } from '#tests/support/database/databases.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { settingsOf } from '#tests/support/processes/two-processes.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'

// The administrator's area of the application process, while the hosting process stops and comes back.

const password = 'correct horse battery'

describe.skipIf(!hasBrowser)(
  'the administrator’s area of an application without its hosting part',
  () => {
    let dir: string
    let network: Network
    let own: OwnDatabase
    let settings: Awaited<ReturnType<typeof settingsOf>>
    let app: ServiceProcess
    let hosting: ServiceProcess
    let browser: Browser
    let page: Page
    const start = (part: 'app' | 'hosting') =>
      startServiceProcess(['serve', '--data', join(dir, 'sitehost')], settings[part])

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'sitehost-roles-'))
      network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: false })
      own = await sqliteFile()
      settings = await settingsOf(network, own)
      hosting = await start('hosting')
      app = await start('app')
      const admin = ['admin', 'add', 'ruth', '--data', join(dir, 'sitehost')]
      await runCommand(admin, settings.app, `${password}\n`)
      browser = await startBrowser()
      page = await (await browser.newContext({ locale: 'en-US' })).newPage()
      await page.goto(`${app.ready.app}/admin`)
      await page.getByLabel('Name').fill('ruth')
      await page.getByLabel('Password').fill(password)
      await page.keyboard.press('Enter')
    }, 300_000)
    afterAll(async () => {
      await browser?.close()
      await app?.[Symbol.asyncDispose]()
      await hosting?.[Symbol.asyncDispose]()
      await network?.stop()
      await own?.[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    }, 120_000)

    const shown = (text: string) => page.getByText(text, { exact: true }).waitFor()
    const problems = () => page.getByRole('alert').allTextContents()

    test('says that it is there, and what it keeps in memory', async () => {
      await shown('Reachable')
      await page.getByRole('cell', { name: 'Addresses' }).waitFor()
      expect(await problems()).toEqual([])
    }, 60_000)

    test('says so while it is stopped, on the page that was open, and shows the rest', async () => {
      expect(await hosting.end('SIGTERM')).toBe(0)
      await shown('Not reachable')
      await shown('Failed to fetch cache stats from hosting service')
      await page.getByRole('cell', { name: 'Addresses' }).waitFor()
      for (const name of ['Logs', 'Errors', 'Sites', 'Accounts', 'Domains', 'Jobs', 'Reports']) {
        await page.getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { name }).waitFor()
        await page.getByText('Loading…').waitFor({ state: 'detached' })
        expect([name, await problems()]).toEqual([name, []])
      }
      await page.getByRole('link', { name: 'Overview', exact: true }).click()
      await shown('Failed to fetch cache stats from hosting service')
    }, 60_000)

    test('is as before when it is back, without a reload', async () => {
      hosting = await start('hosting')
      await shown('Reachable')
      await page.getByRole('cell', { name: 'Addresses' }).waitFor()
      await page.getByRole('alert').waitFor({ state: 'detached' })
    }, 60_000)
  },
)
