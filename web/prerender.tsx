import React from 'react'
import { renderToString } from 'react-dom/server'
import { openRouter } from './routes.ts'
import { App } from './shell/app.tsx'
import { RouterContext } from './shell/router.ts'
import { loadWords } from './words/words.ts'

// The server has no snapshots of what may change: everything is as it is at the start.
React.useSyncExternalStore = (_, read) => read()

/** The start page as the app draws it first, for the service: it runs this with the few globals that drawing needs. */
async function prerender(): Promise<string> {
  const router = openRouter()
  await Promise.all([loadWords(), router.load(router.match('/').route)])
  return renderToString(
    <RouterContext value={router}>
      <App />
    </RouterContext>,
  )
}

Object.assign(globalThis, { prerendered: prerender() })
