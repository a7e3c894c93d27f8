import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { EditorPage } from './editor-page.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { OnboardingPage } from './onboarding-page.tsx'
import { SignInPage } from './sign-in-page.tsx'

function App({ path }: { path: string }) {
  switch (path) {
    case '/editor':
      return <EditorPage />
    case '/onboarding':
      return <OnboardingPage />
    default:
      return <SignInPage />
  }
}

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no element #app')
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <App path={location.pathname} />
    </ErrorBoundary>
  </StrictMode>,
)
