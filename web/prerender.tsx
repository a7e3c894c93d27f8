import { renderToReadableStream } from 'react-dom/server'
import { RouterContext } from '#web/shell/routing/router.ts'
import { openRouter } from './routes.ts'
import { App } from './shell/app.tsx'
import { loadWords } from './words/words.ts'

/** The page of the address as the app draws it first, for the service: it runs this with the few globals that drawing needs. */
async function prerender(): Promise<string> {
  const router = openRouter()
  await Promise.all([loadWords(), router.load(router.match(location.pathname).route)])
  // React puts nothing in the place of what fails inside a Suspense boundary, and says so here alone.
  const failures: unknown[] = []
  const stream = await renderToReadableStream(
    <RouterContext value={router}>
      <App />
    </RouterContext>,
    // In the order of the page, however long a part is.
    {
      onError: (error) => void failures.push(error),
      progressiveChunkSize: Number.POSITIVE_INFINITY,
    },
  )
  await stream.allReady
  if (failures.length > 0) throw failures[0]
  return await new Response(stream).text()
}

Object.assign(globalThis, { prerendered: prerender() })
