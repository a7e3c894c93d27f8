import type { MiddlewareHandler } from 'hono'
import { isTrustedProxy, type TrustedProxies } from '#http/client-address.ts'
import { inTrace, newTrace, parseTraceparent, type Trace } from '#observe/trace.ts'
import type { ApiEnv } from './context.ts'

/**
 * Gives each request a trace (`observe/trace.ts`), whose id is in its answer and in all log lines of its work. A front that we
 * trust may have begun it; others could make their requests look like somebody else's.
 */
export function traced({
  trustedProxies,
}: {
  readonly trustedProxies: TrustedProxies
}): MiddlewareHandler<ApiEnv> {
  const traceOfFront = (request: Request, env: ApiEnv['Bindings'] | undefined): Trace | null => {
    const field = request.headers.get('traceparent')
    if (field === null) return null
    const peer = env?.server?.requestIP(request)?.address
    if (peer === undefined || !isTrustedProxy(peer, trustedProxies)) return null
    return parseTraceparent(field)
  }
  return async (c, next) => {
    const trace = traceOfFront(c.req.raw, c.env) ?? newTrace()
    await inTrace(trace, next)
    c.header('x-request-id', trace.id)
  }
}
