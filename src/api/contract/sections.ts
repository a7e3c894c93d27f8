import type { Route } from './route.ts'
import { routes } from './routes.ts'

/** Routes that readers look for together. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly routes: readonly NamedRoute[]
}

export interface NamedRoute extends Route {
  /** What it is called in `routes`. */
  readonly name: string
}

/** By how their paths begin; what fits none is for machines. */
const beginnings = [
  { id: 'auth', title: 'Signing in', prefix: '/api/auth/' },
  { id: 'user', title: 'What is mine', prefix: '/api/user' },
  { id: 'domain', title: 'Domains', prefix: '/api/domain/' },
  { id: 'site', title: 'One site', prefix: '/api/site/' },
  { id: 'uploads', title: 'Uploads', prefix: '/sitehost/' },
  { id: 'admin', title: 'Administration', prefix: '/api/admin/' },
  { id: 'machines', title: 'For machines', prefix: '/' },
]

/** Every route in its section; sections without routes are left out. */
export function sectionsOf(): Section[] {
  const named = Object.entries<Route>(routes).map(
    ([name, route]): NamedRoute => ({ name, ...route }),
  )
  const idOf = ({ path }: Route) => beginnings.find(({ prefix }) => path.startsWith(prefix))?.id
  return beginnings
    .map(({ id, title }) => ({ id, title, routes: named.filter((route) => idOf(route) === id) }))
    .filter((section) => section.routes.length > 0)
}
