import { useAddress } from './address.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Frame } from './frame.tsx'
import { Outlet } from './outlet.tsx'
import { useRouter } from './router.ts'

/** The frame, and in it the page of the address. */
export function App() {
  const { pathname } = useAddress()
  const { route } = useRouter().match(pathname)
  return (
    <ErrorBoundary>
      <Frame isOwn={route.isOwn}>
        <ErrorBoundary resetKey={pathname}>
          <Outlet />
        </ErrorBoundary>
      </Frame>
    </ErrorBoundary>
  )
}
