import { withTimeout } from '#concurrency/or-aborted.ts'
import { hashOf, type Keep } from '#main/build-cache/kept-builds.ts'
import type { Instance } from '#site/instance.ts'
import { type Locale, locales } from '#site/locales.ts'

const prerenderMsMax = 30_000

/**
 * The start page in each language, drawn by `web/prerender.tsx`, as HTML that is equal to what the app draws first: it is
 * read, and its form used, before and without the script. It is drawn once for an instance, whatever its address. Throws what drawing it throws.
 */
export async function prerenderStart(
  script: string,
  instance: Instance,
  keep: Keep,
): Promise<ReadonlyMap<Locale, string>> {
  const shown: Instance = { ...instance, origin: anyOrigin }
  return await keep(JSON.stringify(['start page', hashOf(script), shown]), async () => {
    const pages = locales.map(
      async (locale): Promise<[Locale, string]> => [
        locale,
        await drawn(`${globalsOf(shown, locale)}${script}${answer}`),
      ],
    )
    return new Map(await Promise.all(pages))
  })
}

/** The page does not name the service's address. */
const anyOrigin = 'https://origin.invalid'

/** Runs the script in a thread, whose globals are its own. */
async function drawn(script: string): Promise<string> {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
  const worker = new Worker(url)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  worker.onmessage = ({ data }: MessageEvent<{ html?: string; error?: string }>) => {
    if (data.html !== undefined) resolve(data.html)
    else reject(new Error(`the start page was not drawn: ${data.error}`))
  }
  worker.onerror = ({ message }) => reject(new Error(`the start page was not drawn: ${message}`))
  try {
    return await withTimeout(promise, prerenderMsMax, () => {
      throw new Error('the start page was not drawn in time')
    })
  } finally {
    worker.terminate()
    URL.revokeObjectURL(url)
  }
}

/** What the app reads while it draws. There is no storage, as in a browser that has blocked it. */
function globalsOf(instance: Instance, lang: Locale): string {
  const { origin } = instance
  const values = {
    location: { origin, href: `${origin}/`, pathname: '/', search: '' },
    navigator: { onLine: true },
  }
  const content = JSON.stringify(JSON.stringify(instance))
  const globals = `{ ...${JSON.stringify(values)}, document: { querySelector: () => ({ content: ${content} }), documentElement: { dataset: {}, lang: '${lang}' } } }`
  return `for (const [name, value] of Object.entries(${globals})) Object.defineProperty(globalThis, name, { value, configurable: true });`
}

const answer =
  ';prerendered.then((html) => postMessage({ html }), (error) => postMessage({ error: String(error?.stack ?? error) }))'
