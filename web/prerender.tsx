import { renderToString } from 'react-dom/server'
import { RouterContext } from '#web/shell/routing/router.ts'
import { openRouter } from './routes.ts'
import { App } from './shell/app.tsx'
import { loadWords } from './words/words.ts'

/** The page of the address as the app draws it first, for the service: it runs this with the few globals that drawing needs. */
async function prerender(): Promise<string> {
  const router = openRouter()
  await Promise.all([loadWords(), router.load(router.match(location.pathname).route)])
  return renderToString(
    <RouterContext value={router}>
      <App />
    </RouterContext>,
  )
}

Object.assign(globalThis, { prerendered: prerender() })
