import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AccountPage } from '#web/account/account-page.tsx'
import { NamesPage } from '#web/names/names-page.tsx'
import { UnknownPage } from '#web/not-found/unknown-page.tsx'
import { OnboardingPage } from '#web/onboarding/onboarding-page.tsx'
import { ErrorBoundary } from '#web/shell/error-boundary.tsx'
import { EditorPage } from '#web/sites/editor-page.tsx'
import { SignInPage } from '#web/start/sign-in-page.tsx'

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
