import { expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { sentences } from '#api/contract/messages.ts'
import { routes } from '#api/contract/routes.ts'
import { testApi } from '#tests/support/api.ts'

const api = testApi()

test('the document is a valid one', async () => {
  const document = await (await api().request('/api/openapi.json')).json()
  const validator = new Validator()
  expect(await validator.validate(document)).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('the validator can say no', async () => {
  const { paths, ...document } = await (await api().request('/api/openapi.json')).json()
  const validated = await new Validator().validate({ ...document, paths: { noSlash: paths } })
  expect(validated.valid).toBe(false)
})

interface Document {
  readonly servers: unknown
  readonly paths: Record<string, Record<string, Operation>>
}

interface Operation {
  readonly operationId: string
  readonly security?: unknown
  readonly parameters?: { name: string; in: string }[]
  readonly requestBody?: { content: Record<string, { schema: unknown }> }
  readonly responses: Record<string, { content: Record<string, { schema: unknown }> }>
}

const read = async () => (await (await api().request('/api/openapi.json')).json()) as Document

test('it holds every declared route under its name, and no other', async () => {
  const { paths } = await read()
  const held = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [method, path, operationId]),
  )
  const declared = Object.entries(routes).map(([name, { method, path }]) => [
    ...[method.toLowerCase(), path.replace(/:(\w+)/g, '{$1}'), name],
  ])
  expect(held.toSorted()).toEqual(declared.toSorted())
})

test('what a route needs and says', async () => {
  const { paths, servers } = await read()
  expect(servers).toEqual([{ url: 'http://127.0.0.1:3000' }])
  const write = paths['/api/site/{rkey}/settings']?.['post']
  expect(write).toMatchObject({
    security: [{ session: [] }],
    parameters: [{ name: 'rkey', in: 'path' }],
  })
  expect(Object.keys(write?.responses ?? {})).toEqual([
    ...['200', '400', '401', '403', '404', '408', '409', '413', '429', '500', '502', '503'],
  ])
  expect(write?.responses['404']?.content['application/json']?.schema).toEqual({
    type: 'object',
    properties: {
      success: { type: 'boolean', const: false },
      error: {
        type: 'string',
        examples: ['Site not found', sentences.siteOfOtherNetwork],
      },
    },
    required: ['success', 'error'],
  })
  expect(write?.responses['401']?.content['application/json']?.schema).toEqual({
    type: 'object',
    properties: { error: { type: 'string', enum: ['Unauthorized'] } },
    required: ['error'],
  })
  expect(paths['/api/domain/check']?.['get']?.security).toBeUndefined()
  expect(
    Object.keys(paths['/sitehost/upload-files']?.['post']?.requestBody?.content ?? {}),
  ).toEqual(['multipart/form-data'])
})
