import { StrictMode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { watchPageErrors } from '#web/shell/page-errors.ts'
import { changePagesWith } from '#web/shell/routing/address.ts'
import { withMovingName } from '#web/shell/routing/move-name.ts'
import { RouterContext } from '#web/shell/routing/router.ts'
import { repeatEarlyPress } from './early-press.ts'
import { keepInput } from './keep-input.ts'
import { openRouter } from './routes.ts'
import { App } from './shell/app.tsx'
import { loadWords } from './words/words.ts'
import './shell/shared-modules.ts'

/** So long the first drawing waits for answers: longer is a slow server, and the page shows what it has. */
const answersMsMax = 300

/** Draws the app over what the document has. */
export async function openApp(): Promise<void> {
  const root = document.getElementById('app')
  if (root === null) throw new Error('the page has no element #app')
  // Otherwise loaded when there is text.
  void document.fonts.load('1em "Geist Variable"').catch(() => undefined)
  watchPageErrors()
  const router = openRouter()
  changePagesWith({
    prepare: (path) => router.prepare(path),
    show: (update, from, to) => withMovingName(() => flushSync(update), from, to),
  })
  await Promise.all([loadWords(), router.prepare(location.pathname)])
  // The document has asked for the answers, too (`src/main/web-app/web-assets.ts`): drawn with them, the page is drawn once.
  await Promise.race([router.warm(location.pathname), passed(answersMsMax)])
  const app = (
    <StrictMode>
      <RouterContext value={router}>
        <App />
      </RouterContext>
    </StrictMode>
  )
  const draw = () => void createRoot(root).render(app)
  // What the service has drawn stays. Where the app would draw something else, as of news in the address, it draws that.
  // When React cannot take over a page it draws it again, and reports that as an error of the window.
  const takeOver = () => void hydrateRoot(root, app)
  if (root.firstChild === null) draw()
  else keepInput(root, () => flushSync(location.search === '' ? takeOver : draw))
  repeatEarlyPress()
}

const passed = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
