import type { AnswerFields } from '#outbound/answer-fields.ts'
import type { JsonLimits } from '#outbound/json-scan.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import { ownField } from '#site/record/own-fields.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { cursorOf, xrpcPages } from './pages.ts'
import { publicQuery, type QueryContext } from './public-query.ts'

const reposPerPage = 500
/** A relay sends four or five values per account. */
const pageLimits: JsonLimits = { bytesMax: 4 * 1024 * 1024, valuesMax: 20_000, namesMax: 200 }
/** Fifty million accounts: a server that lists more repeats itself. */
const pagesMax = 100_000

/** From a relay. An account server lacks the method: lists all its accounts. Throws what `publicQuery` throws. */
export async function* listReposByCollection(
  server: string,
  collection: string,
  context: QueryContext,
): AsyncGenerator<Did[]> {
  const pages = pagesOf(server, 'com.atproto.sync.listReposByCollection', { collection }, context)
  let first: IteratorResult<Did[]>
  try {
    first = await pages.next()
  } catch (error) {
    if (!(error instanceof ServerRefusedError && mayNotKnow.has(error.status))) throw error
    return yield* pagesOf(server, 'com.atproto.sync.listRepos', {}, context)
  }
  if (!first.done) yield first.value
  yield* pages
}

/** Statuses for an unknown method: the reference account server answers 400, others differ. */
const mayNotKnow: ReadonlySet<number> = new Set([400, 401, 404, 405, 501])

async function* pagesOf(
  server: string,
  method: string,
  fixed: Readonly<Record<string, string>>,
  context: QueryContext,
): AsyncGenerator<Did[]> {
  const ask = async (at: { readonly cursor?: string }) => {
    const parameters = { ...fixed, limit: reposPerPage, ...at }
    const page = await publicQuery({ server, method, parameters }, pageLimits, context)
    return { dids: didsOf(page), cursor: cursorOf(page) }
  }
  for await (const { dids } of xrpcPages(ask, pagesMax)) yield dids
}

function didsOf(page: AnswerFields): Did[] {
  return page.list('repos').flatMap((repo) => {
    const did = ownField(repo, 'did')
    return (typeof did === 'string' && parseDid(did)) || []
  })
}
