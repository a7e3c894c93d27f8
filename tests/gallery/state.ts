import { join } from 'node:path'
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

export const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

export const press = (page: Page, name: string) =>
  page.getByRole('button', { name }).first().click()

/** Opens a page and waits for its heading. */
export const at =
  (path: string, then: (shown: Shown) => Promise<unknown> = async () => undefined) =>
  async (shown: Shown) => {
    await shown.page.goto(path)
    await shown.page.getByRole('heading', { level: 1 }).first().waitFor()
    await then(shown)
  }

/** Documents come without the answers that they were drawn from: the page asks for them. */
export const askingItself = (page: Page) =>
  page.route(/\/(?:editor|sites\/[^?]*)$/, async (route) => {
    if (!route.request().isNavigationRequest()) return await route.fallback()
    const response = await route.fetch()
    const drawn = /<div id="app">[\s\S]*<\/div><script id="answers"[^<]*<\/script>/
    const body = (await response.text()).replace(drawn, '<div id="app"></div>')
    await route.fulfill({ response, body })
  })

/** Requests of this path stay without an answer, or get this one. */
export const answering = (page: Page, path: string, status: number | null, body: object = {}) =>
  page.route(`**${path}`, async (route) => {
    if (status !== null) await route.fulfill({ status, json: body })
  })

/** Chooses one of the scene's folders. */
export const choose = ({ page, folders }: Shown, folder: string) =>
  page.getByLabel('Choose a folder').setInputFiles(join(folders, folder))
