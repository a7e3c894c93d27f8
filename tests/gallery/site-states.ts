import type { Shown } from './scene.ts'
import { answering, askingItself, at, press, type State, see } from './state.ts'

const sitesPath = '/api/user/sites'

/** The list of sites says this of each of them: states that take a while to come, or never last. */
const listed =
  (changes: object, then: (shown: Shown) => Promise<unknown>) =>
  async (shown: Shown): Promise<void> => {
    await askingItself(shown.page)
    await shown.page.route(`**${sitesPath}`, async (route) => {
      const { sites } = (await (await route.fetch()).json()) as { sites: object[] }
      await route.fulfill({ json: { sites: sites.map((each) => ({ ...each, ...changes })) } })
    })
    await then(shown)
  }

const foreignSites = [
  { rkey: 'blog', state: 'live', copy: null },
  { rkey: 'portfolio-of-somebody-with-a-long-name', state: 'live', copy: 'portfolio' },
  { rkey: 'موقعي', state: 'refused', copy: null },
].map((site, n) => ({
  ...site,
  name: `place.wisp.fs/${site.rkey}`,
  network: 'place.wisp',
  url: `http://s--${'abcdefghijklmnopqrstuvwxy'}${n + 2}.localhost/`,
}))

export const list: readonly State[] = [
  { name: 'list/0', by: 'carol', show: at('/editor') },
  {
    name: 'list/1',
    by: 'alice',
    show: async (shown) => {
      await askingItself(shown.page)
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
    name: 'list/foreign',
    by: 'alice',
    show: async (shown) => {
      await answering(shown.page, '/api/user/foreign-sites', 200, { sites: foreignSites })
      await at('/editor', ({ page }) => see(page, 'On place.wisp'))(shown)
    },
  },
  {
    name: 'list/foreign-name',
    by: 'alice',
    show: async (shown) => {
      await answering(shown.page, '/api/user/foreign-sites', 200, { sites: foreignSites })
      await at('/editor', async ({ page }) => {
        await press(page, 'Bring it over: blog')
        await see(page, 'You have a site named blog already')
      })(shown)
    },
  },
  {
    name: 'list/loading',
    by: 'alice',
    show: async (shown) => {
      await askingItself(shown.page)
      await answering(shown.page, sitesPath, null)
      await at('/editor')(shown)
    },
  },
  {
    name: 'list/stale',
    by: 'alice',
    show: async (shown) => {
      await askingItself(shown.page)
      await at('/editor', ({ page }) => see(page, 'portfolio'))(shown)
      await answering(shown.page, sitesPath, 400, { error: 'Not now.' })
      await shown.page.reload()
      await see(shown.page, 'may be out of date')
    },
  },
  {
    name: 'list/failed',
    by: 'alice',
    show: async (shown) => {
      await askingItself(shown.page)
      await answering(shown.page, sitesPath, 400, { error: 'Your list could not be made.' })
      await at('/editor', ({ page }) => see(page, 'could not be made'))(shown)
    },
  },
]

export const site: readonly State[] = [
  { name: 'site/fine', by: 'alice', show: at('/sites/blog') },
  {
    name: 'site/problems',
    by: 'alice',
    show: at('/sites/portfolio', ({ page }) => see(page, '999')),
  },
  {
    name: 'site/waiting',
    by: 'alice',
    show: listed(
      {
        state: 'unread',
        problems: [
          'Your account’s server did not send all of the newest version. We will try again at 2026-05-30T12:00:00.000Z.',
        ],
      },
      at('/sites/blog', ({ page }) => see(page, 'could not be read')),
    ),
  },
  {
    name: 'site/refused',
    by: 'alice',
    show: listed(
      {
        state: 'refused',
        problems: ['“a/../b” is not a path that a site can have.', '_redirects, line 1: too long'],
      },
      at('/sites/blog', ({ page }) => see(page, 'was refused')),
    ),
  },
  {
    name: 'site/taken-offline',
    by: 'alice',
    show: listed(
      { state: 'offline', problems: ['Taken offline: a copy of somebody else’s work.'] },
      at('/sites/blog', ({ page }) => see(page, 'was taken offline')),
    ),
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
    name: 'site/update',
    by: 'alice',
    show: at('/sites/blog', async ({ page }) => {
      await press(page, 'Update')
      await see(page, 'Drop the new version here')
    }),
  },
  {
    name: 'site/qr',
    by: 'alice',
    show: at('/sites/blog', async ({ page }) => {
      await press(page, 'Show QR code')
      await see(page, 'Point the camera')
    }),
  },
  {
    name: 'site/menus',
    by: 'alice',
    show: at('/sites/blog', ({ page }) => press(page, 'Account: ')),
  },
]
