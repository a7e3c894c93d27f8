import type { Page } from 'playwright-core'
import type { Shown, Viewer } from './scene.ts'

/** One state of one page: how it is reached, and by whom. One line or a few each; add yours to its page. */
export interface State {
  /** As in the list of states that must exist (`required.ts`). */
  readonly name: string
  readonly by: Viewer
  /** Rejects when the state does not come. */
  readonly show: (shown: Shown) => Promise<unknown>
}

const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click()

/** Opens a page and waits for its heading. */
const at =
  (path: string, then: (shown: Shown) => Promise<unknown> = async () => undefined) =>
  async (shown: Shown) => {
    await shown.page.goto(path)
    await shown.page.getByRole('heading', { level: 1 }).first().waitFor()
    await then(shown)
  }

/** Requests of this path stay without an answer, or get this one. */
const answering = (page: Page, path: string, status: number | null, body: object = {}) =>
  page.route(`**${path}`, async (route) => {
    if (status !== null) await route.fulfill({ status, json: body })
  })

const drop = async ({ page, folder }: Shown) => {
  await page.getByLabel('Choose a folder').setInputFiles(folder)
  await see(page, 'stays in this browser')
}

/** A page of a visitor, on the site's own host. */
const visiting =
  (path: string) =>
  async ({ page, blog }: Shown) => {
    await page.goto(new URL(path, blog).href)
    await page.locator('body *').first().waitFor()
  }

const start: readonly State[] = [
  { name: 'start/empty', by: 'nobody', show: at('/') },
  { name: 'start/dropped', by: 'nobody', show: at('/', drop) },
  {
    name: 'start/error',
    by: 'nobody',
    show: at('/', async ({ page }) => {
      await page.getByLabel('Your handle').fill('nobody.test')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').first().waitFor()
    }),
  },
  { name: 'start/denied', by: 'nobody', show: at('/?error=auth_failed&handle=alice.test') },
  { name: 'start/signed-out', by: 'nobody', show: at('/?news=signed_out&return_to=%2Feditor') },
]

const sitesPath = '/api/user/sites'
const list: readonly State[] = [
  { name: 'list/0', by: 'carol', show: at('/editor') },
  {
    name: 'list/1',
    by: 'alice',
    show: async (shown) => {
      await shown.page.route(`**${sitesPath}`, async (route) => {
        const { sites } = (await (await route.fetch()).json()) as { sites: unknown[] }
        await route.fulfill({ json: { sites: sites.slice(0, 1) } })
      })
      await at('/editor')(shown)
    },
  },
  { name: 'list/2', by: 'alice', show: at('/editor', ({ page }) => see(page, 'portfolio')) },
  { name: 'list/50', by: 'bob', show: at('/editor', ({ page }) => see(page, 'site-50')) },
  {
    name: 'list/loading',
    by: 'alice',
    show: async (shown) => {
      await answering(shown.page, sitesPath, null)
      await at('/editor')(shown)
    },
  },
  {
    name: 'list/failed',
    by: 'alice',
    show: async (shown) => {
      await answering(shown.page, sitesPath, 400, { error: 'Your list could not be made.' })
      await at('/editor', ({ page }) => see(page, 'could not be made'))(shown)
    },
  },
]

const site: readonly State[] = [
  { name: 'site/fine', by: 'alice', show: at('/sites/blog') },
  {
    name: 'site/problems',
    by: 'alice',
    show: at('/sites/portfolio', ({ page }) => see(page, '999')),
  },
  { name: 'site/missing', by: 'alice', show: at('/sites/nothing') },
  {
    name: 'site/offline',
    by: 'alice',
    show: at('/sites/blog', async ({ page }) => {
      await page.context().setOffline(true)
      await see(page, 'offline')
    }),
  },
  {
    name: 'site/menus',
    by: 'alice',
    show: at('/sites/blog', ({ page }) => press(page, 'Account: ')),
  },
]

const settings: readonly State[] = [
  {
    name: 'settings/pristine',
    by: 'alice',
    show: at('/sites/portfolio/settings', ({ page }) => see(page, 'Index files')),
  },
  {
    name: 'settings/dirty',
    by: 'alice',
    show: at('/sites/blog/settings', ({ page }) => page.getByLabel('Without .html').check()),
  },
  {
    name: 'settings/invalid',
    by: 'alice',
    show: at('/sites/blog/settings', async ({ page }) => {
      await press(page, 'Add a header')
      await page.getByLabel('Name', { exact: true }).fill('Content-Length')
      await page.getByLabel('Versions kept').fill('many')
      await press(page, 'Save changes')
      await page.getByRole('alert').first().waitFor()
    }),
  },
  {
    name: 'settings/saved',
    by: 'alice',
    show: at('/sites/portfolio/settings', async ({ page }) => {
      await page.getByLabel('Without .html').check()
      await page.getByLabel('Versions kept').fill(String(Math.floor(Math.random() * 50)))
      await press(page, 'Save changes')
      await see(page, 'Saved. Live for visitors now.')
    }),
  },
  {
    name: 'settings/delete',
    by: 'alice',
    show: at('/sites/blog/settings', ({ page }) => press(page, 'Delete blog')),
  },
]

const account: readonly State[] = [
  {
    name: 'account/all',
    by: 'alice',
    show: at('/account', ({ page }) => see(page, 'This browser')),
  },
  {
    name: 'account/deletion',
    by: 'alice',
    show: at('/account', async ({ page }) => {
      await press(page, 'Delete your data here')
      await page.getByLabel('Type alice.test to confirm').fill('alice.test')
    }),
  },
]

const rest: readonly State[] = [
  { name: 'onboarding/1', by: 'carol', show: at('/onboarding') },
  {
    name: 'versions/2',
    by: 'alice',
    show: at('/sites/blog/versions', ({ page }) => see(page, 'What changed')),
  },
  { name: 'not-found', by: 'nobody', show: at('/nothing-here') },
  { name: 'visitor/404', by: 'nobody', show: visiting('/nothing') },
  { name: 'visitor/410', by: 'nobody', show: visiting('/gone') },
  { name: 'visitor/451', by: 'nobody', show: visiting('/blocked') },
  { name: 'visitor/listing', by: 'nobody', show: visiting('/img/') },
  {
    name: 'visitor/nothing-here',
    by: 'nobody',
    show: async ({ page, world }) => {
      await page.goto(`http://unclaimed.localhost:${new URL(world.app).port}/`)
    },
  },
]

export const states: readonly State[] = [
  ...start,
  ...list,
  ...site,
  ...settings,
  ...account,
  ...rest,
]
