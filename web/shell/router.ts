import type { QueryClient } from '@tanstack/react-query'
import { type ComponentType, createContext, lazy, type ReactNode, useContext } from 'react'
import { matchPattern, type RouteParams } from './match-route.ts'

/** What a page gets; `rkey` and the like are decoded. */
export interface PageProps {
  readonly params: RouteParams
}

export type PageFrameProps = PageProps & { readonly children: ReactNode }

type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>

export interface Route {
  readonly pattern: string
  /** The page's own chunk. */
  readonly load: Load<PageProps>
  /** What it has in common with its neighbours and what stays while one goes between them. */
  readonly loadFrame?: Load<PageFrameProps>
  /** Whether the bar has the account's sites and menu. */
  readonly isOwn: boolean
  /** What the page asks first, so that a hovered link has it ready. */
  readonly prefetch?: (client: QueryClient, params: RouteParams) => Promise<unknown>
}

export interface Match {
  readonly route: Route
  readonly params: RouteParams
}

/** Which page an address has, and its components: loaded ahead, they appear without a pause. */
export class Router {
  readonly #routes: readonly Route[]
  readonly #notFound: Route
  readonly #pages = new Map<Load<PageProps>, ComponentType<PageProps>>()
  readonly #frames = new Map<Load<PageFrameProps>, ComponentType<PageFrameProps>>()

  constructor(routes: readonly Route[], notFound: Route) {
    this.#routes = routes
    this.#notFound = notFound
  }

  match(path: string): Match {
    for (const route of this.#routes) {
      const params = matchPattern(route.pattern, path)
      if (params !== null) return { route, params }
    }
    return { route: this.#notFound, params: {} }
  }

  /** Loads a page's chunks. Never throws: opening the page says what is wrong. */
  async load({ load, loadFrame }: Route): Promise<void> {
    try {
      const [page, frame] = await Promise.all([load(), loadFrame?.()])
      if (!this.#pages.has(load)) this.#pages.set(load, page.default)
      if (loadFrame === undefined || frame === undefined || this.#frames.has(loadFrame)) return
      this.#frames.set(loadFrame, frame.default)
    } catch {
      // The network may be back when somebody follows the link.
    }
  }

  pageOf({ load }: Route): ComponentType<PageProps> {
    const page = this.#pages.get(load) ?? lazy(load)
    this.#pages.set(load, page)
    return page
  }

  frameOf({ loadFrame }: Route): ComponentType<PageFrameProps> | null {
    if (loadFrame === undefined) return null
    const frame = this.#frames.get(loadFrame) ?? lazy(loadFrame)
    this.#frames.set(loadFrame, frame)
    return frame
  }
}

export const RouterContext = createContext<Router | null>(null)

export function useRouter(): Router {
  const router = useContext(RouterContext)
  if (router === null) throw new Error('no RouterContext around this component')
  return router
}
