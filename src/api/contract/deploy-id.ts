import type { Route } from './route.ts'
import { routes } from './routes.ts'

/** Of a request that only the instance with the deploy's files can answer; null for any other request. */
export function deployIdIn({ method, url }: Pick<Request, 'method' | 'url'>): string | null {
  const { pathname } = new URL(url)
  if (!pathname.startsWith(commonPath)) return null
  for (const { pattern, method: declared } of ofSpool) {
    const id = declared === method ? pattern.exec(pathname)?.groups?.['id'] : undefined
    if (id !== undefined) return id
  }
  return null
}

const commonPath = '/api/deploys/'

// Ids are UUIDs, as the rows have them: anything else is no deploy's.
const ofSpool = Object.values<Route>(routes)
  .filter(({ isOfSpool }) => isOfSpool)
  .map(({ method, path }) => ({
    method,
    pattern: new RegExp(
      `^${path.replace(':id', '(?<id>[0-9a-f-]{36})').replaceAll(/:\w+/g, '[^/]+')}$`,
    ),
  }))
