import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ErrorBoundary } from '#web/shell/error-boundary.tsx'
import { watchPageErrors } from '#web/shell/page-errors.ts'
import { AdminPages } from './admin-pages.tsx'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no element #app')
watchPageErrors()
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <AdminPages />
    </ErrorBoundary>
  </StrictMode>,
)
