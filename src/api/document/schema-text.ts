/** A JSON schema as far as zod writes it. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly propertyNames?: JsonSchema
  readonly items?: JsonSchema
  readonly description?: string
  readonly format?: string
  readonly [other: string]: unknown
}

/** A JSON schema as a type that people read: `{ handle: string, history?: number }`, one field a line, with notes. */
export function schemaText(schema: JsonSchema, indent = ''): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const union = schema.anyOf ?? schema.oneOf
  if (union) return union.map((each) => schemaText(each, indent)).join(' | ')
  if (schema.allOf) return schema.allOf.map((each) => schemaText(each, indent)).join(' & ')
  if (schema.type === 'array') return arrayText(schema.items ?? {}, indent)
  if (schema.type === 'object') return objectText(schema, indent)
  if (Array.isArray(schema.type)) return schema.type.join(' | ')
  return typeof schema.type === 'string' ? schema.type : 'any'
}

function arrayText(items: JsonSchema, indent: string): string {
  const text = schemaText(items, indent)
  return text.includes(' | ') && !text.startsWith('{') ? `(${text})[]` : `${text}[]`
}

function objectText(schema: JsonSchema, indent: string): string {
  const { additionalProperties: others, properties = {}, propertyNames, required = [] } = schema
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${inner}${nameText(name)}${mark}: ${schemaText(field, inner)}${noteOf(field)}\n`
  })
  if (typeof others === 'object' && Object.keys(others).length > 0) {
    const key = propertyNames === undefined ? 'string' : schemaText(propertyNames)
    fields.push(`${inner}[${key}]: ${schemaText(others, inner)}${noteOf(others)}\n`)
  }
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${indent}}`
}

const nameText = (name: string): string => (/^[\w$]+$/.test(name) ? name : JSON.stringify(name))

/** What the type alone does not say. */
function noteOf(schema: JsonSchema): string {
  const notes = notesOf(schema)
  return notes === '' ? '' : `  // ${notes}`
}

export function notesOf(schema: JsonSchema): string {
  const { description, format } = schema
  const limits = Object.entries(limitTexts).flatMap(([key, text]) =>
    key in schema ? [text(String(schema[key]))] : [],
  )
  const examples = Array.isArray(schema['examples'])
    ? [`such as ${schema['examples'].map((example) => JSON.stringify(example)).join(', ')}`]
    : []
  const standing = 'default' in schema ? [`default ${JSON.stringify(schema['default'])}`] : []
  return [description, format, ...limits, ...standing, ...examples].filter(Boolean).join('; ')
}

const limitTexts: Readonly<Record<string, (limit: string) => string>> = {
  minimum: (limit) => `at least ${limit}`,
  exclusiveMinimum: (limit) => `more than ${limit}`,
  maximum: (limit) => `at most ${limit}`,
  minLength: (limit) => `at least ${limit} characters`,
  maxLength: (limit) => `at most ${limit} characters`,
  minItems: (limit) => `at least ${limit}`,
  maxItems: (limit) => `at most ${limit}`,
  pattern: (pattern) => `matches ${pattern}`,
}
