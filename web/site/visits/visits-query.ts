import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AnswerTo } from '#api/contract/client.ts'
import { call } from '#web/server/api.ts'
import { keys } from '#web/server/queries.ts'

/** Of so many days, today included. Here, because only this page asks for it. */
export const visitsQuery = (rkey: string, days: number) =>
  queryOptions({
    queryKey: [...keys.site(rkey), 'visits', days],
    queryFn: () =>
      call('GET /api/site/:rkey/visits', { params: { rkey }, query: { days: String(days) } }),
    // While another number of days is asked for.
    placeholderData: keepPreviousData,
  })

export type Visits = AnswerTo<'GET /api/site/:rkey/visits'>
