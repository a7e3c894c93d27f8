import { expect, test } from 'bun:test'
import { type JsonSchema, notesOf, schemaText } from './schema-text.ts'

const types: [JsonSchema, string][] = [
  [{ type: 'string' }, 'string'],
  [{}, 'any'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'boolean', const: true }, 'true'],
  [{ enum: ['a', 'b'] }, '"a" | "b"'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ type: 'array', items: { type: 'string' } }, 'string[]'],
  [
    { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    '(string | null)[]',
  ],
  [{ type: 'object' }, '{}'],
  [
    {
      type: 'object',
      properties: {
        handle: { type: 'string', description: 'A handle', maxLength: 9 },
        'x-y': { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      },
      required: ['handle'],
    },
    '{\n  handle: string  // A handle; at most 9 characters\n  "x-y"?: {\n    n: integer\n  }\n}',
  ],
  [
    { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } },
    '{\n  [string]: number\n}',
  ],
]
test.each(types)('%j', (schema, text) => expect(schemaText(schema)).toBe(text))

test('notes say what the type does not', () => {
  const schema = { type: 'integer', minimum: 1, maximum: 200, default: 50, examples: [3] }
  expect(notesOf(schema)).toBe('at least 1; at most 200; default 50; such as 3')
})
