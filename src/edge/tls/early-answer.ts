import { requestTarget } from '#edge/request-target.ts'
import type { EarlyAnswer, Visitor } from './secure-connection.ts'

/** The answer that was made for this request before it was passed on; null: none. */
export function takeEarly(visitor: Visitor, request: Request): EarlyAnswer['response'] | null {
  const { early } = visitor
  if (early === undefined) return null
  if (request.method !== 'GET' || !isSameTarget(request.url, early.request.url)) {
    dropEarly(visitor)
    return null
  }
  visitor.early = undefined
  early.request.continueAs(request)
  return early.response
}

/** Aborts the request and cancels the body of an answer that nobody will take. */
export function dropEarly(visitor: Visitor): void {
  const { early } = visitor
  if (early === undefined) return
  visitor.early = undefined
  early.request.abort()
  const cancel = async (): Promise<void> => (await early.response).body?.cancel()
  // Answers do not reject, and there is nobody to tell how the end of one went.
  cancel().catch(() => undefined)
}

function isSameTarget(one: string, other: string): boolean {
  const [ours, theirs] = [requestTarget(one), requestTarget(other)]
  return ours.pathname === theirs.pathname && ours.search === theirs.search
}
