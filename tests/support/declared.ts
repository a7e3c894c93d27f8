import { z } from 'zod'
import type { Answer } from '#api/contract/answers.ts'
import { literals, type Message } from '#api/contract/messages.ts'
import type { Route } from '#api/contract/route.ts'
import { routes } from '#api/contract/routes.ts'

/** The declared route that this request is for, or null. */
export function routeOf(method: string, path: string): Route | null {
  const asked = method === 'HEAD' ? 'GET' : method
  const found = Object.values(routes as Readonly<Record<string, Route>>).filter(
    (route) => route.method === asked && patternOf(route.path).test(path),
  )
  // Of `/custom/add` and `/custom/:id` the plain one.
  return (
    found.toSorted((a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')))[0] ?? null
  )
}

const patterns = new Map<string, RegExp>()

function patternOf(path: string): RegExp {
  const known = patterns.get(path)
  const pattern = known ?? new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
  if (known === undefined) patterns.set(path, pattern)
  return pattern
}

/** Throws when the answer to this request is not one that the contract declares: status, fields, message. */
export async function assertDeclared(
  method: string,
  path: string,
  response: Response,
): Promise<void> {
  const route = routeOf(method, path)
  if (route === null || method === 'HEAD') return
  const { status, headers } = response
  const type = headers.get('content-type') ?? ''
  const body = type.startsWith('application/json') ? await response.clone().json() : null
  const problem = problemOf(route, status, { type, body, location: headers.get('location') })
  if (problem === null) return
  throw new Error(
    `${method} ${path}: ${status} ${JSON.stringify(body)} is not declared: ${problem}`,
  )
}

interface Received {
  readonly type: string
  readonly body: unknown
  readonly location: string | null
}

function problemOf(route: Route, status: number, received: Received): string | null {
  const messages = route.failures?.[status]
  const answer = route.answers[status]
  if (answer !== undefined && problemOfAnswer(answer, received) === null) return null
  const isPage = route.failureShape === 'report-page' && received.type.startsWith('text/html')
  if (isPage && (messages !== undefined || status === 500)) return null
  if (messages !== undefined) return problemOfFailure(route, status, messages, received.body)
  if (answer !== undefined) return problemOfAnswer(answer, received)
  return status === 500 && internalError.safeParse(received.body).success ? null : 'status'
}

const internalError = z.strictObject({
  success: z.literal(false).optional(),
  error: z.literal(literals.internalError),
  id: z.hex().length(32),
})

// Made once: Zod compiles each schema, which takes longer than the request.
const plainFailure = z.strictObject({ error: z.string() })
const failureWithSuccess = plainFailure.extend({ success: z.literal(false) })

function problemOfFailure(
  { failureShape }: Route,
  status: number,
  messages: readonly Message[],
  body: unknown,
): string | null {
  const hasSuccess = failureShape === 'success' && status !== 401
  // A page elsewhere is refused before it is known what it asked for.
  const isCrossOrigin = plainFailure.safeParse(body).data?.error === literals.crossOrigin
  const schema = hasSuccess && !isCrossOrigin ? failureWithSuccess : plainFailure
  const parsed = schema.safeParse(body)
  if (!parsed.success) return z.prettifyError(parsed.error)
  const isTold =
    messages.some((message) => typeof message !== 'string') || messages.includes(parsed.data.error)
  return isTold ? null : 'message'
}

function problemOfAnswer(answer: Answer, { type, body, location }: Received): string | null {
  switch (answer.kind) {
    case 'json':
    case 'file': {
      const parsed = answer.schema.safeParse(body)
      return parsed.success ? null : z.prettifyError(parsed.error)
    }
    case 'redirect':
      return location === null ? 'location' : null
    case 'events':
      return type === 'text/event-stream' ? null : 'type'
    case 'text':
      return type.startsWith('text/plain') ? null : 'type'
    case 'empty':
      return type === '' ? null : 'type'
    case 'document':
    case 'download':
      return type === answer.mediaType ? null : 'type'
  }
}
