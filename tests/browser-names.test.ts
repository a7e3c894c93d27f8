import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { AppClient } from '../devnet/app-client.ts'
import { hasBrowser, startBrowser } from './support/browser.ts'
import { openPage } from './support/browser-page.ts'
import { signInAndAuthorize } from './support/chromium-consent.ts'
import { type DnsServer, startDnsServer } from './support/dns-server.ts'
import { startWorld, type World } from './support/world.ts'

describe.skipIf(!hasBrowser)('a person who gives a site names, and deletes the account', () => {
  let dns: DnsServer
  let world: World
  let browser: Browser
  let alice: AppClient
  let page: Page
  let problems: readonly string[]

  beforeAll(async () => {
    dns = await startDnsServer({})
    world = await startWorld({ environment: { DNS_SERVERS: dns.address } })
    alice = await world.signedIn('alice.test')
    await alice.publish('my-site', [
      { path: 'index.html', body: new Blob(['<!doctype html><h1>My site</h1>']) },
    ])
    browser = await startBrowser()
    ;({ page, problems } = await openPage(browser, world.app))
    await page.goto(world.app)
    await page.getByLabel('Your handle').fill('alice.test')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAndAuthorize(page, { password: 'hunter2pass' })
    await page.waitForURL(`${world.app}/editor`)
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await dns[Symbol.asyncDispose]()
  })

  const told = (text: string) => page.getByRole('status').getByText(text).waitFor()
  const save = async (label: string, choice: string) => {
    await page.getByLabel(label, { exact: true }).selectOption(choice)
    await page.getByRole('button', { name: `Save: ${label}` }).click()
  }
  const port = () => new URL(world.app).port

  test('is told which names cannot be claimed', async () => {
    await page.getByRole('button', { name: 'Account: alice.test' }).click()
    await page.getByRole('link', { name: 'Names' }).click()
    await page.getByRole('heading', { name: 'Names', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Get it' }).click()
    await page.getByRole('alert').getByText('Enter a name first').waitFor()
    await page.getByLabel('Choose an address').fill('admin')
    await page.getByRole('button', { name: 'Get it' }).click()
    // In words for this page: the interface's own begin with the name that it has for the field.
    await page
      .getByRole('alert')
      .getByText(/^3 to 63 letters .* reserved$/)
      .waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true')
  }, 120_000)

  test('claims a name, has it show the site, and visits it', async () => {
    await page.getByLabel('Choose an address').fill('alices-page.localhost')
    await page.keyboard.press('Enter')
    await told('alices-page.localhost is yours.')
    expect(await page.getByLabel('Choose an address').inputValue()).toBe('')
    await save('Site that alices-page.localhost shows', 'my-site')
    await told('alices-page.localhost shows my-site now.')
    const visitor = await page.context().newPage()
    await visitor.goto(`http://alices-page.localhost:${port()}/`)
    await visitor.getByRole('heading', { name: 'My site' }).waitFor()
    await visitor.close()
  }, 120_000)

  test('renames it by the keyboard alone', async () => {
    await page.getByRole('button', { name: 'Rename: alices-page.localhost' }).press('Enter')
    const field = page.getByLabel('New name for alices-page.localhost')
    await field.waitFor()
    await page.keyboard.type('alices-home')
    await page.keyboard.press('Enter')
    await told('alices-page.localhost is alices-home.localhost now.')
    await page.getByRole('link', { name: 'alices-home.localhost' }).waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('status')
  }, 120_000)

  test('adds a domain, sees what to set and what was found instead, and verifies it', async () => {
    const domain = 'www.alice-example.com'
    await page.getByLabel('Domain to add').fill('co.uk')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/^Nobody owns this one/)
      .waitFor()
    await page.getByLabel('Domain to add').fill(`https://${domain}/`)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await told(`${domain} is added`)
    const item = page.getByRole('listitem').filter({ hasText: domain })
    await item.getByText('Waiting for DNS').waitFor()
    await item.getByText(`_sitehost.${domain}`, { exact: true }).waitFor()
    const { did } = (await (await alice.fetch('/api/auth/status')).json()) as { did: string }
    await item.getByText(did, { exact: true }).waitFor()
    await item.getByText(/^[a-z0-9]+\.dns\.localhost$/).waitFor()

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await item.getByRole('button', { name: 'Copy value of the TXT record' }).click()
    await item.getByText('value of the TXT record copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(did)

    dns.names.set(`_sitehost.${domain}`, { txt: ['did:plc:somebodyelse'] })
    await item.getByRole('button', { name: `Verify: ${domain}` }).click()
    await item.getByRole('alert').getByText('did:plc:somebodyelse').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Verify')
    dns.names.set(`_sitehost.${domain}`, { txt: [did] })
    await item.getByRole('button', { name: `Verify: ${domain}` }).click()
    await told(`${domain} is verified.`)
    await item.getByText('Verified.', { exact: true }).waitFor()
    await save(`Site that ${domain} shows`, 'my-site')
    await told(`${domain} shows my-site now.`)
  }, 120_000)

  test('is told until when to put back the record of a verified domain', async () => {
    const domain = 'www.alice-example.com'
    const item = page.getByRole('listitem').filter({ hasText: domain })
    const { did } = (await (await alice.fetch('/api/auth/status')).json()) as { did: string }
    dns.names.set(`_sitehost.${domain}`, { txt: ['did:plc:somebodyelse'] })
    await item.getByRole('button', { name: `Check again: ${domain}` }).click()
    await told(`${domain} is still verified, but`)
    await item.getByRole('alert').getByText('put it back before').waitFor()
    dns.names.set(`_sitehost.${domain}`, 'failing')
    await item.getByRole('button', { name: `Check again: ${domain}` }).click()
    await told(`${domain} could not be looked up.`)
    await item.getByRole('alert').getByText('did not answer').waitFor()
    dns.names.set(`_sitehost.${domain}`, { txt: [did] })
    await item.getByRole('button', { name: `Check again: ${domain}` }).click()
    await told(`${domain} is verified.`)
    await item.getByText('put it back before').waitFor({ state: 'detached' })
  }, 120_000)

  test('chooses the primary address, to which the other names lead', async () => {
    await page.getByLabel('Choose an address').fill('alices-attic')
    await page.getByRole('button', { name: 'Get it' }).click()
    await told('alices-attic.localhost is yours.')
    await save('Site that alices-attic.localhost shows', 'my-site')
    await told('alices-attic.localhost shows my-site now.')
    // Verified by its TXT record, with nothing that leads visitors here.
    const choice = page.getByLabel('Primary address of my-site', { exact: true })
    const warning = page
      .getByRole('alert')
      .getByText(/sent to www\.alice-example\.com\..* leads nowhere yet/)
    await choice.selectOption('www.alice-example.com')
    await warning.waitFor()
    await choice.selectOption('alices-home.localhost')
    await warning.waitFor({ state: 'detached' })
    await save('Primary address of my-site', 'alices-home.localhost')
    await told('The primary address of my-site is alices-home.localhost now.')
    const visitor = await page.context().newPage()
    await visitor.goto(`http://alices-attic.localhost:${port()}/?x=1`)
    await visitor.getByRole('heading', { name: 'My site' }).waitFor()
    expect(visitor.url()).toBe(`http://alices-home.localhost:${port()}/?x=1`)
    await visitor.close()
  }, 120_000)

  test('releases a name, but not by the first press', async () => {
    const release = page.getByRole('button', { name: 'Give up alices-attic.localhost' })
    await release.click()
    // The focus is on what changes nothing.
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'alices-attic.localhost' }).waitFor()
    await release.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Give it up' }).click()
    await told('You gave up alices-attic.localhost.')
    await page.getByRole('link', { name: 'alices-attic.localhost' }).waitFor({ state: 'detached' })
  }, 120_000)

  test('exports everything as a file, and deletes the account', async () => {
    await page.getByRole('button', { name: 'Account: alice.test' }).click()
    await page.getByRole('link', { name: 'Account', exact: true }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download everything' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^sitehost-alice\.test-\d{4}-\d\d-\d\d\.json$/)
    const exported = (await Bun.file(await download.path()).json()) as Record<string, unknown>
    expect(exported['complete']).toBe(true)

    await page.getByLabel('Also delete my sites from my account').check()
    await page.getByRole('button', { name: 'Delete your data here' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('your sites and settings in your account').waitFor()
    await dialog.getByRole('button', { name: 'Delete everything' }).click()
    // Good news, and nothing that somebody has to mend.
    await told('Your data here is deleted.')
    expect(await page.getByRole('alert').count()).toBe(0)
    const answer = await page.goto(`http://alices-home.localhost:${port()}/`)
    expect(answer?.status()).toBe(404)
    await page.goto(`${world.app}/names`)
    await page.getByText('Your sign-in has ended').waitFor()
  }, 120_000)

  test('no page broke its own policy or threw', () => {
    expect(problems).toEqual([])
  })
})
