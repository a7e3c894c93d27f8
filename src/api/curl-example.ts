import type { Route, RouteBody } from './contract/route.ts'
import { exampleOf, jsonSchemaOf } from './json-schema.ts'

/** A command line that asks for a route, with the examples of its schemas. */
export function curlExample(route: Route, origin: string): string {
  const { access, body, method, query = {} } = route
  const [[name, schema] = []] = Object.entries(query)
  const search = schema ? `?${name}=${encodeURIComponent(textOf(schema))}` : ''
  const words = ['curl']
  if (route.answers[200]?.kind === 'events') words.push('--no-buffer')
  if (access !== 'public') words.push('--cookie cookies.txt')
  // curl says POST itself where there is a body.
  if (method !== 'GET' && !(method === 'POST' && body)) words.push(`--request ${method}`)
  return [...words, ...bodyWords(body), quoted(`${origin}${pathOf(route)}${search}`)].join(' ')
}

const pathOf = ({ path, params = {} }: Route): string =>
  path.replace(/:(\w+)/g, (all, name) => {
    const schema = params[name]
    return schema ? encodeURIComponent(textOf(schema)) : all
  })

const textOf = (schema: RouteBody['schema']): string =>
  String(exampleOf(jsonSchemaOf(schema, 'input')))

function bodyWords(body: RouteBody | undefined): string[] {
  if (body === undefined) return []
  if (body.kind === 'unread-form') {
    return ['--form siteName=blog', `--form ${quoted('files=@index.html;filename=index.html')}`]
  }
  const example = JSON.stringify(exampleOf(jsonSchemaOf(body.schema, 'input')))
  return [`--json ${quoted(example)}`]
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
