import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { startWorld, type World } from './support/world.ts'

const password = 'correct horse battery'

describe.skipIf(!hasBrowser)('an administrator with a browser', () => {
  let world: World
  let browser: Browser
  let page: Page
  let siteUrl: string
  let problems: readonly string[]

  beforeAll(async () => {
    world = await startWorld({ canFail: true, environment: { LOG_LEVEL: 'info' } })
    await runCommand(['admin', 'add', 'ruth', '--data', world.dataDir], {}, `${password}\n`)
    const alice = await world.signedIn('alice.test')
    const files = [{ path: 'index.html', body: new Blob(['<!doctype html><h1>Blog</h1>']) }]
    siteUrl = String((await alice.publish('blog', files))['url'])
    world.network.setFaults({ 'com.atproto.repo.applyWrites': { status: 400 } })
    await alice.publish('broken', files).catch(() => null)
    world.network.setFaults({})
    browser = await startBrowser()
    ;({ page, problems } = await openPage(browser, world.app))
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const told = (text: string) => page.getByRole('status').getByText(text).waitFor()
  const goTo = (name: string) => page.getByRole('link', { name, exact: true }).click()
  const visit = async () => (await fetch(siteUrl)).status
  const confirm = async (button: string, reason: string) => {
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason', { exact: true }).fill(reason)
    await dialog.getByRole('button', { name: button }).click()
  }

  test('signs in where they wanted to go, not with a wrong password', async () => {
    await page.goto(`${world.app}/admin/logs?search=publish+failed`)
    await page.getByLabel('Name').fill('ruth')
    await page.getByLabel('Password').fill('not this one')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Name or password is wrong.').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Logs' }).waitFor()
    expect(page.url()).toBe(`${world.app}/admin/logs?search=publish+failed`)
  }, 120_000)

  test('finds by search which publish failed, for whom and why, and all lines of its request', async () => {
    await page.getByLabel('Search').fill('publish failed broken')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'publish failed' }).click()
    const entry = page.getByRole('region', { name: 'Logs' })
    await entry.getByText('Your account’s server refused the site').last().waitFor()
    await entry.getByRole('link', { name: /^[0-9a-f]{32}$/ }).click()
    await page.getByRole('link', { name: 'publish started' }).waitFor()
    expect(await page.getByRole('link', { name: /^publish (?:started|failed)$/ }).count()).toBe(2)
    await page.goBack()
    await entry.getByText('Your account’s server refused the site').last().waitFor()
  }, 120_000)

  test('follows the log live', async () => {
    await page.goto(`${world.app}/admin/logs?eventType=signed_in`)
    const followed = page.waitForResponse(/logs\/stream/)
    await page.getByRole('button', { name: 'Follow live' }).click()
    await followed
    const lines = page.getByRole('link', { name: 'signed in', exact: true })
    await lines.first().waitFor()
    const before = await lines.count()
    await world.signedIn('bob.test')
    await lines.nth(before).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
  }, 120_000)

  test('takes a site offline, of which visitors learn within a second, and brings it back', async () => {
    expect(await visit()).toBe(200)
    await goTo('Sites')
    await page.getByLabel('Search').fill('blo')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'blog' }).click()
    await page.getByRole('button', { name: 'Take offline' }).click()
    await confirm('Take offline', 'a court said so')
    await told('blog is offline.')
    const offlineAt = performance.now()
    while ((await visit()) !== 451) expect(performance.now() - offlineAt).toBeLessThan(1000)
    await page.getByText('Visitors get 451').waitFor()
    await page.getByRole('button', { name: 'Bring back' }).click()
    await confirm('Bring back', 'another court said so')
    await told('blog is back.')
    const backAt = performance.now()
    while ((await visit()) !== 200) expect(performance.now() - backAt).toBeLessThan(1000)
    await goTo('Audit')
    await page.getByText('a court said so', { exact: true }).waitFor()
    await page.getByText('another court said so', { exact: true }).waitFor()
  }, 120_000)

  test('handles a report of a visitor', async () => {
    const reported = await fetch(`${world.app}/api/report`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: siteUrl, kind: 'phishing', text: 'It asks for my password.' }),
    })
    expect(reported.status).toBe(200)
    await goTo('Reports')
    await page.getByLabel('State').selectOption('open')
    await page.getByRole('link', { name: 'phishing' }).click()
    await page.getByRole('button', { name: 'Close report' }).click()
    await page.getByRole('dialog').getByLabel('Outcome').fill('nothing wrong')
    await confirm('Close report', 'it is a blog')
    await told('The report is closed.')
    await page.getByText('Nothing matches').waitFor()
  }, 120_000)

  test('puts an account on the allow list, finds it there and removes it', async () => {
    await goTo('Allow list')
    await page.getByText('everybody may sign in').waitFor()
    await page.getByRole('button', { name: 'Add account' }).click()
    await page.getByRole('dialog').getByLabel('Handle or DID').fill('@Guest.Test')
    await confirm('Add account', 'a colleague')
    await told('@Guest.Test is on the list.')
    await page.getByLabel('Search').fill('gue')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'guest.test' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await confirm('Remove', 'left')
    await told('guest.test is no longer on the list.')
    await page.getByText('Nothing matches').waitFor()
  }, 120_000)

  test('invites a guest by an address, and revokes the invitation', async () => {
    await goTo('Invitations')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('dialog').getByLabel('Days until it ends').fill('3')
    await confirm('Invite', 'a friend')
    const created = page.getByRole('region', { name: 'New invitation' })
    const url = String(await created.getByText('/invitation/').textContent())
    const opened = () => fetch(url, { redirect: 'manual' })
    expect((await opened()).headers.get('set-cookie')).toContain('invitation=')
    const table = page.getByRole('region', { name: 'Invitations' })
    await table.getByRole('link').click()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await confirm('Revoke', 'sent to the wrong person')
    await told('The invitation is revoked.')
    await page.getByText('No invitations yet.').waitFor()
    expect((await opened()).headers.get('set-cookie')).toBeNull()
  }, 120_000)

  test('is told which address is no page', async () => {
    const answer = await page.goto(`${world.app}/admin/nothing`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(answer?.status()).toBe(404)
    await page.getByRole('main').getByRole('link', { name: 'overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  }, 120_000)

  test('sees the chart of requests move under load', async () => {
    await goTo('Overview')
    const requests = page.getByRole('figure', { name: 'Requests' })
    const sites = requests.getByRole('listitem').filter({ hasText: 'sites' })
    await requests.locator('canvas').waitFor()
    for (let batch = 0; batch < 4; batch++) await Promise.all(Array.from({ length: 50 }, visit))
    // 200 and more, in one minute or on both sides of its end.
    await sites.getByText(/highest \d{3} a minute/).waitFor()
    await requests.getByText('Requests as a table').click()
    await requests.getByRole('cell', { name: 'a minute' }).first().waitFor()
  }, 120_000)

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`has pages that axe finds nothing wrong with, in the ${colorScheme} scheme`, async () => {
      await page.emulateMedia({ colorScheme })
      const paths = ['', '/logs', '/errors', '/sites', '/accounts', '/domains', '/jobs', '/reports']
      for (const path of [...paths, '/allow-list', '/invitations', '/audit', '/nothing']) {
        await page.goto(`${world.app}/admin${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.getByText('Loading…').first().waitFor({ state: 'detached' })
        expect([path, await violationsOf(page)]).toEqual([path, []])
      }
      await page.goto(`${world.app}/admin/sites`)
      await page.getByRole('link', { name: 'blog' }).click()
      await page.getByRole('button', { name: 'Take offline' }).click()
      await page.getByRole('dialog').getByLabel('Reason', { exact: true }).waitFor()
      expect(['dialog', await violationsOf(page)]).toEqual(['dialog', []])
    }, 120_000)
  }

  test('fits into 320 pixels', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    for (const path of ['', '/logs', '/sites', '/reports', '/allow-list', '/invitations']) {
      await page.goto(`${world.app}/admin${path}`)
      await page.getByText('Loading…').first().waitFor({ state: 'detached' })
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        path,
        320,
      ])
      const current = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]')
      const box = await current.boundingBox()
      expect([path, box !== null && box.x >= 0 && box.x + box.width <= 320]).toEqual([path, true])
    }
  }, 120_000)

  test('whose session has ended signs in again, and is where they were', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${world.app}/admin/jobs`)
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.context().clearCookies({ name: 'admin_session' })
    await goTo('Domains')
    await page.getByText('Your session has ended').waitFor()
    await page.getByLabel('Name').fill('ruth')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Domains' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
  }, 120_000)

  test('no page broke its own policy or threw', () => {
    expect(problems).toEqual([])
  })
})
