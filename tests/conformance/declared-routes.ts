import type { Route } from '#api/contract/route.ts'
import { routes } from '#api/contract/routes.ts'
import type { Facts } from './like.ts'

/** A route of the contract, and what it is called here. */
export type DeclaredRoute = Route & {
  /** Such as `POST /api/domain/claim`. */
  readonly name: string
  /** Whether browsers may ask for it only from a page of ours. */
  readonly mutates: boolean
}

/** Every route that the contract declares, whoever adds one; src/api/app.test.ts proves that there are no others. */
export const declaredRoutes: readonly DeclaredRoute[] = Object.values(
  routes as Readonly<Record<string, Route>>,
).map((route) => ({
  ...route,
  name: `${route.method} ${route.path}`,
  mutates: route.method !== 'GET',
}))

/** The pages of the web app, and what is nowhere: for all other paths. */
export const webAppRoute = 'GET /*'

/** Its path with these values; an `x` for each that is not there. */
export const pathWith = ({ path }: Pick<Route, 'path'>, values: Facts): string =>
  path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x')
