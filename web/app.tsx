import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { keepInput } from './keep-input.ts'
import { openRouter } from './routes.ts'
import { openQueryClient } from './server/query-client.ts'
import { App } from './shell/app.tsx'
import { RouterContext } from './shell/router.ts'
import { applyTheme } from './shell/theme.ts'
import { loadWords } from './words/words.ts'

applyTheme()
const root = document.getElementById('app')
if (root === null) throw new Error('the page has no element #app')
const router = openRouter()
const { route } = router.match(location.pathname)
await Promise.all([loadWords(), router.load(route)])
const app = (
  <StrictMode>
    <QueryClientProvider client={openQueryClient()}>
      <RouterContext value={router}>
        <App />
      </RouterContext>
    </QueryClientProvider>
  </StrictMode>
)
keepInput(root, () => flushSync(() => createRoot(root).render(app)))
