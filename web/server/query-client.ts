import {
  hashKey,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import { ApiError } from './api.ts'
import { dropKept, keep, readKept } from './kept-answers.ts'
import { keptQueries, keys, sitesQuery, userQuery } from './queries.ts'
import { type SentAnswers, sentAnswers } from './sent-answers.ts'
import { followSignOuts, isLeavingAccount, leaveIfSignedOut, rememberSignedIn } from './session.ts'

const retriesMax = 2

/** Answers are asked again after this, when a page that shows them appears or the window gets the focus. */
const freshMs = 15_000

/** Whether a failed read is worth another try: the connection, or a server that is not itself. */
export const isWorthRetrying = (failures: number, error: unknown): boolean =>
  failures < retriesMax &&
  !(error instanceof ApiError && error.status !== null && error.status < 500)

/** The app's memory of what the server answered. What `meta.isKept` marks outlives a reload. */
export function openQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => void leaveIfSignedOut(error),
      onSuccess: (answer, { queryKey, meta }) => {
        if (isLeavingAccount()) return
        if (queryKey[0] === keys.user[0]) rememberSignedIn()
        if (meta?.['isKept'] === true) keep(queryKey, answer)
      },
    }),
    mutationCache: new MutationCache({ onError: (error) => void leaveIfSignedOut(error) }),
    defaultOptions: { queries: { staleTime: freshMs, retry: isWorthRetrying } },
  })
  const sent = sentAnswers()
  if (sent === null) showKept(client)
  else showSent(client, sent)
  dropWhenAnother(client)
  followSignOuts()
  return client
}

/** As old as can be: shown at once and asked again. */
function showKept(client: QueryClient): void {
  for (const { queryKey } of keptQueries as readonly { readonly queryKey: QueryKey }[]) {
    client.setQueryData(queryKey, readKept(queryKey), { updatedAt: 1 })
  }
}

/** Alone: with what this tab has kept besides, the app would draw another page than the service has. */
function showSent(client: QueryClient, { sites, user }: SentAnswers): void {
  // Another tab may have signed in as somebody else since.
  if (didOf(readKept(keys.user)) !== user.did) dropKept()
  client.setQueryData(userQuery.queryKey, user)
  client.setQueryData(sitesQuery.queryKey, sites.sites)
  for (const key of [keys.user, keys.sites]) keep(key, client.getQueryData(key))
  rememberSignedIn()
}

const didOf = (user: unknown): unknown =>
  typeof user === 'object' && user !== null && 'did' in user ? user.did : undefined

/** Another tab may have signed in as somebody else. */
function dropWhenAnother(client: QueryClient): void {
  let did = client.getQueryData(userQuery.queryKey)?.did
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryHash !== hashKey(userQuery.queryKey)) return
    const current = client.getQueryData(userQuery.queryKey)?.did
    if (did !== undefined && current !== undefined && current !== did) {
      client.removeQueries({ predicate: (other) => other !== query })
      dropKept()
    }
    did = current ?? did
  })
}
