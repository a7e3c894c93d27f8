import type { Hosting } from '#api/operations.ts'
import { isBearer } from '#http/bearer.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import { type ThreadFailure, threadFailureOf } from '#main/process/thread-failure.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { answerEdge, type EdgeAnswerContext } from './answer-edge.ts'

/** What the process of the application may ask this one. */
export interface InternalContext {
  readonly hosting: Hosting
  readonly sync: (did: Did) => Promise<AccountSync>
  /** For edges of their own, which write nothing themselves. */
  readonly edge: EdgeAnswerContext
  readonly token: string
}

export type SyncAnswer = { readonly sync: AccountSync } | { readonly failure: ThreadFailure }

const windowMsMax = 24 * 60 * 60 * 1000

/** Answers at INTERNAL_LISTEN: only with the token. */
export async function answerInternal(
  request: Request,
  server: Bun.Server<undefined>,
  { edge, hosting, sync, token }: InternalContext,
): Promise<Response> {
  if (!isBearer(request.headers.get('authorization'), token)) {
    return Response.json({ error: 'Unauthorized' }, { status: 401 })
  }
  const { pathname, searchParams } = new URL(request.url)
  switch (`${request.method} ${pathname}`) {
    case 'GET /internal/metrics': {
      const asked = Number(searchParams.get('timeWindow'))
      return Response.json(await hosting.metrics(Math.min(Math.max(asked, 0), windowMsMax)))
    }
    case 'GET /internal/cache':
      return Response.json(await hosting.cache())
    case 'POST /internal/edge':
      return await answerEdge(request, edge)
    case 'POST /internal/sync': {
      const did = parseDid(searchParams.get('did') ?? '')
      if (did === null) return Response.json({ error: 'did: expected a DID' }, { status: 400 })
      // Bun would close the connection, which is silent while sites are read.
      server.timeout(request, 0)
      return Response.json(await answerSync(did, sync))
    }
    default:
      return Response.json({ error: 'Not found' }, { status: 404 })
  }
}

async function answerSync(did: Did, sync: InternalContext['sync']): Promise<SyncAnswer> {
  try {
    return { sync: await sync(did) }
  } catch (error) {
    return { failure: threadFailureOf(error) }
  }
}
