import { Fragment, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { useArrived } from '#web/shell/use-arrived.ts'
import { scrollTargetNow, useAddress } from './address.ts'
import { useRouter } from './router.ts'

/** The page of the address. */
export function Outlet() {
  const path = useAddress().pathname
  useArrival(path)
  const router = useRouter()
  const { route, params } = router.match(path)
  const Page = router.pageOf(route)
  const page = <Page key={path} params={params} />
  const Frame = router.frameOf(route)
  const Queries = route.isOwn ? router.own.Queries : Fragment
  return (
    <Suspense fallback={null}>
      <Queries>
        {Frame === null ? (
          page
        ) : (
          <Frame key={params['rkey']} params={params}>
            <AfterFrame key={path}>{page}</AfterFrame>
          </Frame>
        )}
      </Queries>
    </Suspense>
  )
}

/** Head and tabs of a site are seen before what is below them is drawn. */
function AfterFrame({ children }: { children: ReactNode }) {
  return useArrived() && children
}

/** A page that took another's place is read from its heading, unless the focus is on what stayed. */
function useArrival(path: string): void {
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    scrollTo(0, scrollTargetNow())
    const content = document.getElementById('content')
    if (content === null || content.contains(document.activeElement)) return
    const heading = content.querySelector<HTMLElement>('h1')
    if (heading !== null) heading.tabIndex = -1
    const target = heading ?? content
    target.focus({ preventScroll: true })
  }, [path])
}
