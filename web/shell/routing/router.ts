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
  /** Whether it is a page of the account: it has queries, and the bar has the account's sites and menu. */
  readonly isOwn: boolean
  /** What the page asks first, so that a hovered link has it ready. */
  readonly prefetch?: (client: QueryClient, params: RouteParams) => Promise<unknown>
}

export interface Match {
  readonly route: Route
  readonly params: RouteParams
}

/** What the pages of an account have in common. Pages for everybody do without it. */
export interface OwnParts {
  /** The right side of the bar. */
  readonly Bar: ComponentType
  /** Around what asks the server by queries. */
  readonly Queries: ComponentType<{ readonly children: ReactNode }>
  readonly client: () => QueryClient
}

interface RouterOptions {
  readonly routes: readonly Route[]
  readonly notFound: Route
  readonly loadOwn: () => Promise<OwnParts>
}

/** Which page an address has, and its components: loaded ahead, they appear without a pause. */
export class Router {
  readonly #options: RouterOptions
  readonly #ready = new Set<Route>()
  readonly #pages = new Map<Load<PageProps>, ComponentType<PageProps>>()
  readonly #frames = new Map<Load<PageFrameProps>, ComponentType<PageFrameProps>>()
  #own: Pick<OwnParts, 'Bar' | 'Queries'> | null = null

  constructor(options: RouterOptions) {
    this.#options = options
  }

  match(path: string): Match {
    const { routes, notFound } = this.#options
    for (const route of routes) {
      const params = matchPattern(route.pattern, path)
      if (params !== null) return { route, params }
    }
    return { route: notFound, params: {} }
  }

  /** Loads what the page of a path needs; null: it is there already. */
  prepare(path: string): Promise<void> | null {
    const { route } = this.match(path)
    return this.#ready.has(route) ? null : this.load(route)
  }

  /** Loads a page's chunks. Never throws: opening the page says what is wrong. */
  async load(route: Route): Promise<void> {
    const { isOwn, load, loadFrame } = route
    try {
      // Before what the account's pages share, which comes with them.
      const page = await load()
      const [frame, own] = await Promise.all([
        loadFrame?.(),
        isOwn ? this.#options.loadOwn() : null,
      ])
      if (!this.#pages.has(load)) this.#pages.set(load, page.default)
      this.#own ??= own
      if (loadFrame !== undefined && frame !== undefined && !this.#frames.has(loadFrame)) {
        this.#frames.set(loadFrame, frame.default)
      }
      this.#ready.add(route)
    } catch {
      // The network may be back when somebody follows the link.
    }
  }

  /** Loads a page that somebody may be about to open, and what it asks first. Never throws. */
  async warm(path: string): Promise<void> {
    const { route, params } = this.match(path)
    const { prefetch } = route
    await this.load(route)
    if (prefetch === undefined || !this.#ready.has(route)) return
    const { client } = await this.#options.loadOwn()
    await Promise.allSettled([prefetch(client(), params)])
  }

  pageOf({ load }: Route): ComponentType<PageProps> {
    const page = this.#pages.get(load) ?? lazy(() => firstOf(load, this.#pages))
    this.#pages.set(load, page)
    return page
  }

  frameOf({ loadFrame }: Route): ComponentType<PageFrameProps> | null {
    if (loadFrame === undefined) return null
    const frame = this.#frames.get(loadFrame) ?? lazy(() => firstOf(loadFrame, this.#frames))
    this.#frames.set(loadFrame, frame)
    return frame
  }

  /** For pages of the account. */
  get own(): Pick<OwnParts, 'Bar' | 'Queries'> {
    const { loadOwn } = this.#options
    this.#own ??= {
      Bar: lazy(async () => ({ default: (await loaded(loadOwn)).Bar })),
      Queries: lazy(async () => ({ default: (await loaded(loadOwn)).Queries })),
    }
    return this.#own
  }
}

/** The chunks of a page could not be loaded, which a reload may mend. */
export class PageNotLoadedError extends Error {
  override readonly name = 'PageNotLoadedError'
}

/** Loads a component; one that fails is forgotten, so that coming back to its page tries again. */
async function firstOf<Props>(load: Load<Props>, known: Map<Load<Props>, ComponentType<Props>>) {
  try {
    return await loaded(load)
  } catch (error) {
    known.delete(load)
    throw error
  }
}

async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new PageNotLoadedError('a page was not loaded', { cause })
  }
}

export const RouterContext = createContext<Router | null>(null)

export function useRouter(): Router {
  const router = useContext(RouterContext)
  if (router === null) throw new Error('no RouterContext around this component')
  return router
}
