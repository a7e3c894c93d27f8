import type { QueryClient } from '@tanstack/react-query'
import type { Asked } from '#api/contract/client.ts'
import { call } from '#web/server/api.ts'
import { versionsQuery } from '#web/server/queries.ts'

type Change = Asked<'PATCH /api/site/:rkey/versions/:id'>['body']

/** Writes what the owner says about a version, and shows the answer: the server's list learns it only a moment later. */
export async function changeVersion(
  client: QueryClient,
  rkey: string,
  id: string,
  body: Change,
): Promise<void> {
  const changed = await call('PATCH /api/site/:rkey/versions/:id', { params: { rkey, id }, body })
  client.setQueryData(versionsQuery(rkey).queryKey, (history) =>
    history === undefined
      ? undefined
      : {
          ...history,
          pages: history.pages.map((page) => ({
            ...page,
            versions: page.versions.map((version) => (version.id === id ? changed : version)),
          })),
        },
  )
}
