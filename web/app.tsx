import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AccountPage } from './account-page.tsx'
import { EditorPage } from './editor-page.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { NamesPage } from './names-page.tsx'
import { OnboardingPage } from './onboarding-page.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { UnknownPage } from './unknown-page.tsx'

function App({ path }: { path: string }) {
  switch (path) {
    case '/editor':
      return <EditorPage />
    case '/names':
      return <NamesPage />
    case '/account':
      return <AccountPage />
    case '/onboarding':
      return <OnboardingPage />
    case '/':
      return <SignInPage />
    default:
      return <UnknownPage />
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
