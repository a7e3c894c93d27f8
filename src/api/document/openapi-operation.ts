import { z } from 'zod'
import type { Answer } from '#api/contract/answers.ts'
import { isLiteral, type Message } from '#api/contract/messages.ts'
import { type Access, failureShapeAt, type Route, type RouteBody } from '#api/contract/route.ts'

export type Operation = ReturnType<typeof operationOf>

/** A route as an operation of an OpenAPI 3.1 document. */
export function operationOf(name: string, route: Route, tag: string) {
  const { access, body, details, section, summary, takesServiceAuth } = route
  const parameters = [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')]
  const byService = takesServiceAuth ? [{ serviceToken: [] }] : []
  const security = [...(requirements[access] ?? []), ...byService]
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(details !== undefined && { description: details }),
    'x-section': section,
    ...(security.length > 0 && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: requestBodyOf(body) }),
    responses: responsesOf(route),
  }
}

/** One of these is enough. */
const requirements: Partial<
  Record<Access, readonly Readonly<Record<string, readonly string[]>>[]>
> = {
  'signed-in': [{ session: [] }],
  deployer: [{ session: [] }, { deployToken: [] }],
  admin: [{ administrator: [] }],
}

function parametersOf(described: Route['query'] = {}, place: 'path' | 'query') {
  return Object.entries(described).map(([name, schema]) => {
    const { description, ...json } = jsonSchemaOf(schema, 'input')
    const required = place === 'path'
    return { name, in: place, required, ...(description && { description }), schema: json }
  })
}

function requestBodyOf(body: RouteBody) {
  const { kind, schema } = body
  const required = !(kind === 'json' && body.isOptional)
  const schemas = { [mediaTypes[kind]]: { schema: jsonSchemaOf(schema, 'input') } }
  return { required, content: schemas }
}

const mediaTypes: Readonly<Record<RouteBody['kind'], string>> = {
  json: 'application/json',
  'unread-json': 'application/json',
  'unread-form': 'multipart/form-data',
  'unread-bytes': 'application/octet-stream',
}

function responsesOf(route: Route) {
  const { answers, failures = {} } = route
  const responses: Record<string, unknown> = {
    500: { $ref: '#/components/responses/InternalError' },
  }
  for (const [status, messages] of Object.entries(failures)) {
    const shape = failureShapeAt(route, Number(status))
    responses[status] = failureResponse(Number(status), messages, shape)
  }
  for (const [status, answer] of Object.entries(answers)) responses[status] = responseOf(answer)
  return responses
}

function failureResponse(
  status: number,
  messages: readonly Message[],
  shape: Route['failureShape'],
) {
  const description = meanings[status]
  if (description === undefined) throw new TypeError(`status ${status} has no meaning here`)
  const isTemporary = status === 429 || status === 503
  const properties = {
    ...(shape === 'success' && { success: { type: 'boolean', const: false } }),
    error: { type: 'string', ...errorTexts(messages) },
  }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  const { content } = bodyOf(description, 'application/json', schema)
  const page = { 'text/html': { schema: { type: 'string' } } }
  return {
    description,
    content: { ...content, ...(shape === 'report-page' && page) },
    ...(isTemporary && { headers: { 'Retry-After': { schema: { type: 'string' } } } }),
  }
}

/** Clients may compare with literal messages; all others are examples. */
const errorTexts = (messages: readonly Message[]) =>
  messages.every(isLiteral)
    ? { enum: messages }
    : {
        examples: messages.map((message) => (typeof message === 'string' ? message : message.like)),
      }

function responseOf(answer: Answer) {
  const description = answer.when
  switch (answer.kind) {
    case 'json':
    case 'file':
      return bodyOf(description, 'application/json', jsonSchemaOf(answer.schema, 'output'))
    case 'redirect':
      return {
        description,
        headers: { Location: { schema: { type: 'string', examples: answer.locations } } },
      }
    case 'events': {
      const events = Object.entries(answer.events).map(([event, schema]) => [
        event,
        jsonSchemaOf(schema, 'output'),
      ])
      const schema = { type: 'string', 'x-events': Object.fromEntries(events) }
      return bodyOf(description, 'text/event-stream', schema)
    }
    case 'text':
      return bodyOf(description, 'text/plain', { type: 'string', const: answer.text })
    case 'empty':
      return { description }
    case 'document':
      return bodyOf(description, answer.mediaType, { type: 'string' })
    case 'download':
      // OpenAPI 3.1: bytes have no schema.
      return bodyOf(description, answer.mediaType, {})
  }
}

const bodyOf = (description: string, mediaType: string, schema: object) => ({
  description,
  content: { [mediaType]: { schema } },
})

const meanings: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  401: 'Nobody is signed in',
  403: 'Not allowed',
  404: 'It does not exist, or is another account’s',
  408: 'It took too long to arrive',
  409: 'It conflicts with the current state',
  410: 'It is not stored any more',
  413: 'Too large',
  415: 'A coding that is not supported',
  429: 'Too many requests',
  502: 'The account’s own server refused or did not answer',
  503: 'A database or disk is unavailable, or this service is restarting',
  507: 'The disk of this service is nearly full',
}

/** `input`: what a request may send (unknown fields are ignored); `output`: what an answer has. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // zod adds JavaScript's range of integers to each one.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return json
}
