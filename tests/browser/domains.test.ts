import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { openPage, violationsOf } from '#tests/support/browser/browser-page.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { startWorld, type World } from '../support/world.ts'

describe.skipIf(!hasBrowser)('the addresses of a site', () => {
  let dns: DnsServer
  let world: World
  let browser: Browser
  let alice: AppClient
  let page: Page
  let problems: readonly string[]
  const domain = 'www.alice-example.com'

  beforeAll(async () => {
    dns = await startDnsServer({})
    world = await startWorld({ environment: { DNS_SERVERS: dns.address } })
    browser = await startBrowser()
    alice = await world.signedIn('alice.test')
    await alice.publish('my-site', [
      { path: 'index.html', body: new Blob(['<!doctype html><h1>My site</h1>']) },
    ])
    ;({ page, problems } = await openPage(browser, world.app, { client: alice }))
    page.setDefaultTimeout(15_000)
    await page.goto('/sites/my-site')
    await page.getByRole('link', { name: 'Domains', exact: true }).click()
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await dns[Symbol.asyncDispose]()
  })

  const told = (text: string) =>
    page.getByRole('region', { name: 'Notices' }).getByText(text).waitFor()
  const port = () => new URL(world.app).port
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  const claimField = () => page.getByLabel('Address', { exact: true })
  const didOf = async () =>
    ((await (await alice.fetch('/api/auth/status')).json()) as { did: string }).did

  test('are looked up while one is typed', async () => {
    await claimField().fill('ab')
    await page.getByText('Use at least 3 characters.').waitFor()
    await claimField().fill('a..b')
    await page.getByText('Use only letters, digits and single dashes inside.').waitFor()
    await claimField().fill('admin')
    await page.getByText('This one is reserved.').waitFor()
    await claimField().fill('alices-page')
    await page.getByText('alices-page.localhost is free.').waitFor()
    expect(await violationsOf(page)).toEqual([])
  }, 60_000)

  test('are claimed and shown with one press', async () => {
    await page.keyboard.press('Enter')
    await told('alices-page.localhost shows your site now.')
    await row('alices-page.localhost').getByText('Live').waitFor()
    const answer = await fetch(`http://alices-page.localhost:${port()}/`)
    expect(await answer.text()).toContain('My site')
    expect(await claimField().inputValue()).toBe('')
  }, 60_000)

  test('that are taken come with free ones', async () => {
    await claimField().fill('alices-page.localhost')
    await page.getByText('You have this address already.').waitFor()
    const bob = await world.signedIn('bob.test')
    const body = JSON.stringify({ handle: 'bobs-page' })
    const headers = { 'content-type': 'application/json' }
    await bob.fetch('/api/domain/claim', { method: 'POST', body, headers })
    await claimField().fill('BOBS-page')
    await page.getByText('bobs-page.localhost is taken.').waitFor()
    await page.getByRole('button', { name: 'my-bobs-page' }).click()
    expect(await claimField().inputValue()).toBe('my-bobs-page')
    await claimField().fill('')
  }, 60_000)

  test('are changed by the keyboard alone', async () => {
    await row('alices-page').getByRole('button', { name: 'More for' }).press('Enter')
    await page.getByRole('button', { name: 'Change this address' }).press('Enter')
    await page.getByRole('dialog').getByLabel('Address').waitFor()
    await page.keyboard.type('alices-home')
    await page.keyboard.press('Enter')
    await told('The address is alices-home.localhost now.')
    await row('alices-home.localhost').waitFor()
  }, 60_000)

  test('of the owner’s domain: what to set, what was found instead, and the tick', async () => {
    const field = page.getByLabel('Domain', { exact: true })
    await field.fill('*.example.com')
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page.getByText('A wildcard can’t be added.').waitFor()
    await field.fill('co.uk')
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page
      .getByRole('alert')
      .getByText(/^Nobody owns this one/)
      .waitFor()
    await field.fill(`https://${domain}/`)
    await page.getByRole('button', { name: 'Add domain' }).click()
    await told(`${domain} is added`)
    const card = page.getByRole('region', { name: `Set two records for ${domain}` })
    const did = await didOf()
    await card.getByText('_sitehost.www', { exact: true }).waitFor()
    await card.getByText('www', { exact: true }).waitFor()
    await card.getByText(did, { exact: true }).waitFor()
    await card.getByText(/^[a-z0-9]+\.dns\.localhost$/).waitFor()
    expect(await violationsOf(page)).toEqual([])

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await card.getByRole('button', { name: 'Copy the value of the TXT record' }).click()
    await card.getByText('the value of the TXT record copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(did)

    dns.names.set(`_sitehost.${domain}`, { txt: ['did:plc:somebodyelse'] })
    await card.getByRole('button', { name: `Check now: ${domain}` }).click()
    await card.getByText('did:plc:somebodyelse').waitFor()
    dns.names.set(`_sitehost.${domain}`, { txt: [did] })
    // Nobody presses anything: the page looks again.
    await told(`${domain} is verified.`)
    await row(domain).getByText('Needs a look').waitFor()
    await card.getByText('points nowhere yet').first().waitFor()
    // People are shown an address that works.
    const best = page.locator('main header').getByRole('link', { name: 'alices-home.localhost' })
    await best.first().waitFor()
  }, 60_000)

  test('say of a domain until when its certificate is valid, or what stands in its way', async () => {
    const certificate = { validUntil: null, nextTryAt: '2031-01-01T12:00:00Z', problem: null }
    const valid = { ...certificate, state: 'valid', validUntil: '2031-03-01T12:00:00Z' }
    const detail = 'caa: not us'
    const refused = { ...certificate, state: 'refused', problem: { kind: 'caa', detail } }
    let answered: object = refused
    // The service of a test has no public address, and orders none.
    await page.route('**/api/user/domains', async (route) => {
      const response = await route.fetch()
      const { customDomains, ...rest } = await response.json()
      const rows = customDomains.map((row: object) => ({ ...row, certificate: answered }))
      const pointing = rows.map((row: object) => ({ ...row, warning: null }))
      await route.fulfill({ response, json: { ...rest, customDomains: pointing } })
    })
    await page.reload()
    await row(domain).getByText('No certificate').waitFor()
    const notice = page.getByRole('status').filter({ hasText: `${domain} has no certificate` })
    await notice.getByText(`A CAA record forbids certificates for ${domain}`).waitFor()
    await notice.getByText(detail).waitFor()
    await notice.getByText('Next try: Jan 1, 2031').waitFor()
    expect(await violationsOf(page)).toEqual([])
    answered = valid
    await page.reload()
    await row(domain).getByText('Certificate until Mar 1, 2031').waitFor()
    expect(await page.getByText('has no certificate').count()).toBe(0)
    await page.unrouteAll()
    await page.reload()
    await row(domain).getByText('Needs a look').waitFor()
  }, 60_000)

  test('have a primary one, to which the others lead', async () => {
    await page.getByRole('button', { name: 'Make primary: alices-home.localhost' }).click()
    await told('alices-home.localhost is the primary address now.')
    const answer = await fetch(`http://${new URL(world.app).host}/`, {
      headers: { host: domain },
      redirect: 'manual',
    })
    expect(answer.headers.get('location')).toBe(`http://alices-home.localhost:${port()}/`)
    await page.getByRole('button', { name: 'Stop redirecting' }).click()
    await told('Every address shows the site now.')
  }, 60_000)

  test('are put aside and used again, and given up', async () => {
    await row('alices-home').getByRole('button', { name: 'More for' }).click()
    await page.getByRole('button', { name: 'Stop using it here' }).click()
    await told('alices-home.localhost shows no site now.')
    await page.getByRole('button', { name: 'Use here: alices-home.localhost' }).click()
    await told('alices-home.localhost shows your site now.')
    await row('alices-home').getByText('Live').waitFor()
    await row('alices-home').getByRole('button', { name: 'More for' }).click()
    await page.getByRole('button', { name: 'Give it up' }).click()
    // The focus is on what changes nothing.
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await row('alices-home').waitFor()
    await row('alices-home').getByRole('button', { name: 'More for' }).click()
    await page.getByRole('button', { name: 'Give it up' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Give it up' }).click()
    await told('You gave up alices-home.localhost.')
    await row('alices-home').waitFor({ state: 'detached' })
  }, 60_000)

  test('fit a phone, and the old page leads to the sites', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    const [inside, outside] = await page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement
      return [scrollWidth, clientWidth]
    })
    expect(inside).toBe(outside)
    expect(await violationsOf(page)).toEqual([])
    await page.goto('/names')
    await page.waitForURL(`${world.app}/editor`)
    expect(problems).toEqual([])
  }, 60_000)
})
