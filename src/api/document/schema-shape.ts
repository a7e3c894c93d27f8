import type { JsonSchema } from './json-schema.ts'

/** A schema as people write shapes down: `{ "did": string, "sites": [{ … }] }`, a field a line, with what is said of it. */
export function shapeOf(schema: JsonSchema, indent = ''): string {
  if (schema.anyOf !== undefined) {
    const shapes = schema.anyOf.map((inner) => shapeOf(inner, indent))
    return shapes.join(shapes.some((shape) => shape.includes('\n')) ? `\n${indent}or ` : ' or ')
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  }
  if (schema['format'] === 'binary') return 'file'
  if (schema.items !== undefined) return `[${shapeOf(schema.items, indent)}, …]`
  if (schema.properties !== undefined) return objectShape(schema, indent)
  return [schema.type].flat().join(' or ')
}

function objectShape({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const fields = Object.entries(properties)
  if (fields.length === 0) return 'object'
  const inner = `${indent}  `
  const lines = fields.map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?'
    const note = noteOf(schema)
    return `${note && `${inner}// ${note}\n`}${inner}"${name}"${optional}: ${shapeOf(schema, inner)}`
  })
  return `{\n${lines.join(',\n')}\n${indent}}`
}

const noteOf = ({ description, examples = [], type }: JsonSchema): string => {
  if (description !== undefined) return description.replaceAll('`', '')
  return type === 'string' && examples.length > 0 ? `such as: ${examples.join(' | ')}` : ''
}
