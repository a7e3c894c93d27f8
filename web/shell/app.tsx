import { useAddress } from '#web/shell/routing/address.ts'
import { Outlet } from '#web/shell/routing/outlet.tsx'
import { useRouter } from '#web/shell/routing/router.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Frame } from './frame.tsx'

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
