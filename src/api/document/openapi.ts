import { literals } from '#api/contract/messages.ts'
import type { Route } from '#api/contract/route.ts'
import { routes } from '#api/contract/routes.ts'
import { manageMethod } from '#site/service-token.ts'
import { type Operation, operationOf } from './openapi-operation.ts'

/** The contract as an OpenAPI 3.1 document of the application at `origin`. */
export function openApiDocument(origin: string) {
  return {
    openapi: '3.1.1' as const,
    info: {
      title: 'Sitehost',
      version: '1',
      summary: 'Static websites that live in their owner’s AT Protocol repository.',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin }],
    tags: [...new Set(tags.map(({ name }) => name))].map((name) => ({ name })),
    paths: pathsOf(),
    components: { securitySchemes, responses: { InternalError: internalError } },
  }
}

const description = [
  'A request that changes something and comes from a page of another origin is refused with 403.',
  'Fields that are not named here are ignored in requests.',
  '429 and 503 say in `Retry-After` when to try again.',
  '503 with `X-Sitehost-Not-Begun: 1` has done nothing; without it, a POST may have been carried out.',
].join(' ')

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'did',
    description:
      'The cookie that signing in sets. Browsers also send a second one, `sid`; programs may leave it out.',
  },
  deployToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of one site, which begins with `shd_`.',
  },
  serviceToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `A token that the account’s server signs for a program (\`com.atproto.server.getServiceAuth\`), for this service as \`aud\` (\`did:web:\` and its host) and \`${manageMethod}\` as \`lxm\`. It works once, within five minutes.`,
  },
  administrator: { type: 'apiKey', in: 'cookie', name: 'admin_session' },
}

const internalError = {
  description: 'An unexpected error; the log has more under the same id',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          success: { type: 'boolean', const: false },
          error: { type: 'string', const: literals.internalError },
          id: { type: 'string', format: 'uuid' },
        },
        required: ['error', 'id'],
      },
    },
  },
}

/** By the beginning of a route's path; the first match counts. */
const tags = [
  { name: 'Signing in', prefix: '/api/auth/' },
  { name: 'The account', prefix: '/api/user' },
  { name: 'Domains', prefix: '/api/domain/' },
  { name: 'One site', prefix: '/api/site/' },
  { name: 'Deploys', prefix: '/api/deploys/' },
  { name: 'Deploys', prefix: '/api/tokens/' },
  { name: 'Webhooks', prefix: '/api/webhooks' },
  { name: 'Uploads', prefix: '/sitehost/' },
  { name: 'Administration', prefix: '/api/admin/' },
  { name: 'Reports', prefix: '/api/report' },
  { name: 'Reports', prefix: '/report' },
  { name: 'Health and metadata', prefix: '/' },
]

function pathsOf() {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [name, route] of Object.entries<Route>(routes)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const tag = tags.find(({ prefix }) => route.path.startsWith(prefix))?.name ?? ''
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(name, route, tag) }
  }
  return paths
}
