import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { type PdsAccount, putRecord } from '../support/accounts.ts'
import { startWorldOfAlice, type World } from '../support/world.ts'

describe.skipIf(!hasBrowser)('webhooks of another network, on the page of the account', () => {
  let world: World
  let browser: Browser
  let alice: AppClient
  let repo: PdsAccount
  let page: Page
  let problems: readonly string[]

  beforeAll(async () => {
    const environment = { ALSO_SERVE: 'place.wisp' }
    ;({ world, alice, repo } = await startWorldOfAlice({ environment }))
    browser = await startBrowser()
    ;({ page, problems } = await openPage(browser, world.app, { client: alice }))
    page.setDefaultTimeout(30_000)
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const put = (key: string, collection: string, url: string) =>
    putRecord(repo, 'place.wisp.v2.wh', key, {
      scope: { aturi: `at://${repo.did}/${collection}` },
      ...{ url, secretId: 'mine', createdAt: '2026-01-02T03:04:05.678Z' },
    })
  const webhooks = () => page.getByRole('region', { name: 'Webhooks' })
  const bring = () => webhooks().getByRole('button', { name: 'Bring it over: 127.0.0.1:1' })

  test('are not there while there are none', async () => {
    await page.goto('/account')
    await webhooks().getByText('No webhooks yet.').waitFor()
    expect(await webhooks().getByText('On place.wisp').count()).toBe(0)
  })

  test('one press brings one over, and shows its secret; removed, it can be brought again', async () => {
    await put('sites', 'place.wisp.fs', 'http://127.0.0.1:1/sites')
    await put('posts', 'app.bsky.feed.post', '<img src=x onerror=alert(1)>')
    await page.reload()
    await webhooks().getByRole('heading', { name: 'On place.wisp' }).waitFor()
    await webhooks().getByText('It gets a new secret').waitFor()
    await webhooks().getByText('It is not about sites.').waitFor()
    await webhooks().getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await bring().click()
    await webhooks().getByText('Copy the secret of 127.0.0.1:1 now.').waitFor()
    await webhooks().getByText('Here already').waitFor()
    await webhooks().getByRole('button', { name: 'Send a test to 127.0.0.1:1' }).waitFor()
    expect(await violationsOf(page)).toEqual([])

    await webhooks().getByRole('button', { name: 'Remove webhook' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove the webhook at 127.0.0.1:1?' })
    await dialog.getByRole('button', { name: 'Remove webhook' }).click()
    await bring().waitFor()
    expect(problems).toEqual([])
  })
})
