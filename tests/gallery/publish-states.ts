import type { DevnetFault } from '../../devnet/start.ts'
import { eventually } from '../support/eventually.ts'
import { newPictures, type Shown } from './scene.ts'
import { at, choose, press, type State, see } from './state.ts'

const uploadBlob = 'com.atproto.repo.uploadBlob'

/** Chooses `garden` as bob, and presses the button. */
const publishing = (then: (shown: Shown) => Promise<unknown>) =>
  at('/onboarding', async (shown) => {
    await newPictures(shown.folders)
    await choose(shown, 'garden')
    await see(shown.page, 'Garden')
    await shown.page.getByRole('button', { name: /^(Publish|Replace .*)$/ }).click()
    await then(shown)
  })

/** The account's server does this to what is sent to it, until the pictures are taken. */
const faulty = ({ world, after }: Shown, faults: Record<string, DevnetFault>) => {
  world.network.setFaults(faults)
  after(() => world.network.setFaults({}))
}

/** Most files do not get through to the service. */
const holdFiles = async ({ page }: Shown) => {
  let sent = 0
  await page.route('**/api/deploys/*/files/*', async (route) => {
    if (++sent <= 15) await route.continue()
  })
}

/** The job of this page, whatever becomes of it, is over before the next state. */
const cancelAfter = ({ page, after }: Shown) =>
  after(async () => {
    const cancel = page.getByRole('button', { name: 'Cancel' })
    if (await cancel.isVisible()) await cancel.click()
    await eventually(async () => {
      if (await cancel.isVisible()) throw new Error('a job does not end')
    })
  })

/** From the folder to the site; each state is one of a real publish. */
export const publish: readonly State[] = [
  { name: 'onboarding/1', by: 'carol', show: at('/onboarding') },
  {
    name: 'onboarding/2',
    by: 'bob',
    show: at('/onboarding', async (shown) => {
      await choose(shown, 'garden')
      await see(shown.page, 'Garden')
    }),
  },
  {
    name: 'onboarding/address',
    by: 'bob',
    show: at('/onboarding', async (shown) => {
      await choose(shown, 'garden')
      await shown.page.getByLabel('Address').fill('garden')
      await see(shown.page, 'garden.localhost is free.')
    }),
  },
  {
    name: 'publish/choosing',
    by: 'bob',
    show: at('/onboarding?site=site-9', async (shown) => {
      await choose(shown, 'notes')
      await see(shown.page, 'Make about.html the start page')
    }),
  },
  {
    name: 'publish/refused',
    by: 'bob',
    show: at('/onboarding', async (shown) => {
      await choose(shown, 'broken')
      await see(shown.page, 'Bad file path')
      await shown.page.getByRole('button', { name: /^(Publish|Replace .*)$/ }).click()
      await see(shown.page, 'These files cannot be published')
    }),
  },
  {
    name: 'publish/sending',
    by: 'bob',
    show: async (shown) => {
      await holdFiles(shown)
      await publishing(async ({ page }) => {
        await see(page, 'Keep this tab open')
        await see(page, / of \d+(?:\.\d)? kB/)
      })(shown)
    },
  },
  {
    name: 'publish/cancelled',
    by: 'bob',
    show: async (shown) => {
      await holdFiles(shown)
      await publishing(async ({ page }) => {
        await see(page, 'Keep this tab open')
        await press(page, 'Cancel')
        await see(page, 'Cancelled. Nothing was published.')
      })(shown)
    },
  },
  {
    name: 'publish/storing',
    by: 'bob',
    show: async (shown) => {
      faulty(shown, { [uploadBlob]: { hold: true, after: 12 } })
      cancelAfter(shown)
      await publishing(({ page }) => see(page, /^Stored \d+ of/))(shown)
    },
  },
  {
    name: 'publish/waiting',
    by: 'bob',
    show: async (shown) => {
      faulty(shown, { [uploadBlob]: { hold: true } })
      cancelAfter(shown)
      await publishing(({ page }) => see(page, 'Waiting for your account’s server'))(shown)
    },
  },
  {
    name: 'publish/failed',
    by: 'bob',
    show: async (shown) => {
      faulty(shown, { 'com.atproto.repo.applyWrites': { status: 400 } })
      await publishing(({ page }) => page.getByRole('button', { name: 'Try again' }).waitFor())(
        shown,
      )
    },
  },
  {
    name: 'publish/done',
    by: 'bob',
    show: publishing(async ({ page }) => {
      await see(page, 'Your site is live')
      await page.frameLocator('iframe').getByRole('heading', { name: 'Garden' }).waitFor()
    }),
  },
  {
    name: 'onboarding/3',
    by: 'bob',
    show: publishing(async ({ page }) => {
      await see(page, 'Your site is online')
      await page.getByText('QR code').click()
    }),
  },
]
