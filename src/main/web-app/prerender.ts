import { hashOf, type Keep } from '#main/build-cache/kept-builds.ts'
import type { Instance } from '#site/instance.ts'
import { type Locale, locales } from '#site/locales.ts'

/** What a page reads while it is drawn. Nothing is stored, as in a browser that was never here. */
export interface PageToDraw {
  readonly instance: Instance
  readonly locale: Locale
  /** Its path, with its query. */
  readonly path: string
  /** What the server has answered about the account, as JSON (`web/server/sent-answers.ts`). */
  readonly answers?: string
}

export type DrawPage = (page: PageToDraw) => Promise<string>

/**
 * Draws pages by `web/prerender.tsx`, as HTML that is equal to what the app draws first. Each is drawn by an app of its own,
 * begun for it: nothing of one account's page can be left for the next. The first takes 50 ms, others 5.
 */
export function pageDrawer(script: string): DrawPage {
  let begin: Begin | null = null
  return async (page) => {
    using channels = closableChannels()
    const globals = { ...globalsOf(page), MessageChannel: channels.Channel }
    const result: { prerendered?: Promise<string> } = {}
    // It is our own, of the bundle.
    begin ??= new Function('globalThis', ...Object.keys(globals), script) as Begin
    begin(result, ...Object.values(globals))
    if (result.prerendered === undefined) throw new Error('the script draws nothing')
    return await result.prerendered
  }
}

/** React opens one to schedule what it does later. An open port keeps the app of its handler in memory for ever. */
function closableChannels() {
  const opened: MessageChannel[] = []
  class Channel extends MessageChannel {
    constructor() {
      super()
      opened.push(this)
    }
  }
  const close = (): void => {
    for (const { port1, port2 } of opened) {
      port1.close()
      port2.close()
    }
  }
  return { Channel, [Symbol.dispose]: close }
}

type Begin = (...globals: unknown[]) => void

/** The start page in each language: it is read, and its form used, before and without the script. Drawn once for an instance, whatever its address. */
export async function prerenderStart(
  script: string,
  instance: Instance,
  keep: Keep,
): Promise<ReadonlyMap<Locale, string>> {
  const shown: Instance = { ...instance, origin: anyOrigin }
  return await keep(JSON.stringify(['start page', hashOf(script), shown]), async () => {
    const draw = pageDrawer(script)
    const pages = locales.map(
      async (locale): Promise<[Locale, string]> => [
        locale,
        await draw({ instance: shown, locale, path: '/' }),
      ],
    )
    return new Map(await Promise.all(pages))
  })
}

/** The page does not name the service's address. */
const anyOrigin = 'https://origin.invalid'

/** All that a browser has and the app reads while it draws; the others are the server's own, or missing. */
function globalsOf({ answers, instance, locale, path }: PageToDraw) {
  const { href, origin, pathname, search } = new URL(path, instance.origin)
  const content = JSON.stringify(instance)
  return {
    location: { href, origin, pathname, search },
    navigator: { onLine: true },
    document: {
      querySelector: () => ({ content }),
      getElementById: () => (answers === undefined ? null : { textContent: answers }),
      documentElement: { dataset: {}, lang: locale },
    },
    localStorage: { getItem: () => null },
    sessionStorage: { getItem: () => null, setItem: () => undefined },
    // Other tabs.
    BroadcastChannel: class {},
  }
}
