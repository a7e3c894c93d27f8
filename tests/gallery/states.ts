import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { domains } from './domain-states.ts'
import { files } from './file-states.ts'
import { publish } from './publish-states.ts'
import { journal, type Shown } from './scene.ts'
import { list, site } from './site-states.ts'
import { answering, at, choose, press, type State, see } from './state.ts'

const drop = async (shown: Shown) => {
  await choose(shown, 'garden')
  await see(shown.page, 'stays in this browser')
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
  {
    name: 'start/too-many-files',
    by: 'nobody',
    show: at('/', async (shown) => {
      await choose(shown, 'many')
      await see(shown.page, 'at most 10,000 files')
    }),
  },
  {
    name: 'start/template',
    by: 'nobody',
    show: at('/', async ({ page }) => {
      await press(page, 'Start from a template')
      await see(page, 'One line about it')
    }),
  },
  { name: 'start/denied', by: 'nobody', show: at('/?error=auth_failed&handle=alice.test') },
  { name: 'start/signed-out', by: 'nobody', show: at('/?news=signed_out&return_to=%2Feditor') },
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
    name: 'settings/ci',
    by: 'alice',
    show: at('/sites/blog/settings', async ({ page }) => {
      const form = page.getByRole('form', { name: 'Create token' })
      await form.getByLabel('Where it is used').fill('tangled')
      await form.getByRole('button').click()
      await see(page, 'Copy the token now.')
    }),
  },
  {
    name: 'settings/delete',
    by: 'alice',
    show: at('/sites/blog/settings', ({ page }) => press(page, 'Delete blog')),
  },
]

const foreignWebhooks = [
  { rkey: 'portfolio', events: ['site.published'], notes: ['public-secret', 'no-site'] },
  {
    ...{ rkey: null, events: ['site.published', 'site.deleted'] },
    notes: ['other-records', 'backlinks', 'secret-elsewhere'],
  },
  { rkey: null, events: ['site.deleted'], notes: [], webhook: 'one' },
  { rkey: null, events: [], notes: [], problem: 'not-about-sites' },
].map((webhook, n) => ({
  ...{ key: `3mkq2vtpdbk2${n}`, network: 'place.wisp', scope: 'at://did:plc:somebody' },
  url: `https://hooks.example.com/${'a-long-path/'.repeat(n * 3)}hook`,
  ...{ enabled: n !== 2, problem: null, webhook: null },
  ...webhook,
}))

const account: readonly State[] = [
  {
    name: 'account/all',
    by: 'alice',
    show: at('/account', ({ page }) => see(page, 'This browser')),
  },
  {
    name: 'account/webhooks',
    by: 'alice',
    show: at('/account', async ({ page }) => {
      const form = page.getByRole('form', { name: 'Add webhook' })
      await form.getByLabel('Address').fill('http://127.0.0.1:1/hooks/sitehost')
      await form.getByRole('button').click()
      await see(page, 'It is not shown again.')
      await page.getByRole('button', { name: 'Send a test to' }).first().click()
      await see(page, 'no connection')
    }),
  },
  {
    name: 'account/foreign-webhooks',
    by: 'bob',
    show: async (shown) => {
      const answer = { webhooks: foreignWebhooks, more: true }
      await answering(shown.page, '/api/user/foreign-webhooks', 200, answer)
      await at('/account', async ({ page }) => {
        await see(page, 'On place.wisp')
        await page.getByRole('heading', { name: 'On place.wisp' }).scrollIntoViewIfNeeded()
      })(shown)
    },
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

const versions: readonly State[] = [
  {
    name: 'versions/1',
    by: 'bob',
    show: at('/sites/site-10/versions', ({ page }) => see(page, 'What changed')),
  },
  {
    name: 'versions/2',
    by: 'alice',
    show: at('/sites/blog/versions', ({ page }) => page.getByText('What changed').first().click()),
  },
  {
    name: 'versions/20',
    by: 'bob',
    show: at(`/sites/${journal}/versions`, ({ page }) => see(page, 'Show older versions')),
  },
  {
    name: 'versions/forget',
    by: 'alice',
    show: at('/sites/blog/versions', async ({ page }) => {
      await page.getByRole('button', { name: 'More for' }).last().click()
      await press(page, 'Forget everywhere')
      await see(page, 'Forget this version?')
    }),
  },
  {
    name: 'versions/restoring',
    by: 'alice',
    show: at('/sites/blog/versions', async ({ page, world, after }) => {
      world.network.setFaults({ 'com.atproto.repo.applyWrites': { status: 503 } })
      after(async () => {
        world.network.setFaults({})
        await see(page, 'blog is back at this version.')
      })
      await press(page, 'Restore')
      await see(page, 'Restoring')
    }),
  },
]

const visits: readonly State[] = [
  {
    name: 'visits/none',
    by: 'bob',
    show: at('/sites/site-10/visits', ({ page }) => see(page, 'No visits yet')),
  },
  {
    name: 'visits/some',
    by: 'alice',
    show: async ({ page, blog }) => {
      for (const country of ['DE', 'FR', 'DE']) {
        const headers = { referer: 'https://news.example/', 'cf-ipcountry': country }
        await fetch(blog, { headers: { ...headers, 'user-agent': `a browser in ${country}` } })
      }
      // What was counted is saved every few seconds.
      await eventually(async () => {
        await page.goto('/sites/blog/visits')
        await page.getByText('news.example').waitFor({ timeout: 1_000 })
      }, 15_000)
    },
  },
]

const visitors: readonly State[] = [
  { name: 'visitor/404', by: 'nobody', show: visiting('/nothing') },
  { name: 'visitor/410', by: 'nobody', show: visiting('/gone') },
  { name: 'visitor/451', by: 'nobody', show: visiting('/blocked') },
  { name: 'visitor/listing', by: 'nobody', show: visiting('/img/') },
  {
    name: 'visitor/503',
    by: 'nobody',
    show: async ({ page, world, clients, after }) => {
      const content = `<!doctype html><title>${crypto.randomUUID()}</title>`
      const { url } = await clients.alice.publish('lost', [textFile('index.html', content)])
      world.network.setFaults({ 'com.atproto.sync.getBlob': { status: 503 } })
      const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex')
      await rm(join(world.dataDir, 'blobs', hash.slice(0, 2), hash.slice(2)))
      after(async () => {
        world.network.setFaults({})
        await clients.alice.fetch('/api/site/lost', { method: 'DELETE' })
      })
      await page.goto(String(url))
      await see(page, 'Not here yet')
    },
  },
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
  ...files,
  ...settings,
  ...account,
  ...versions,
  ...visits,
  ...domains,
  ...publish,
  { name: 'not-found', by: 'nobody', show: at('/nothing-here') },
  { name: 'api-reference', by: 'nobody', show: at('/api/docs') },
  ...visitors,
]
