import { literals } from '#api/contract/messages.ts'
import { type Section, sectionsOf } from '#api/contract/sections.ts'
import { operationOf } from './openapi-operation.ts'

/** The contract as an OpenAPI 3.1 document. `origin` is where the application is. */
export function openApiDocument(origin: string) {
  const sections = sectionsOf()
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
    tags: sections.map(({ title }) => ({ name: title })),
    paths: pathsOf(sections),
    components: { securitySchemes, responses: { InternalError: internalError } },
  }
}

const description = [
  'A request that changes something and comes from a page of another origin is refused with 403.',
  'Fields that are not named here are ignored in requests.',
  '429 and 503 say in `Retry-After` when to try again.',
].join(' ')

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'did',
    description:
      'The cookie that signing in sets. Browsers send a second one beside it, `sid`; programs may leave that out.',
  },
  administrator: { type: 'apiKey', in: 'cookie', name: 'admin_session' },
}

const internalError = {
  description: 'Nobody foresaw this; the log has more under the same id',
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

function pathsOf(sections: readonly Section[]): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { title, routes } of sections) {
    for (const route of routes) {
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, title) }
    }
  }
  return paths
}
