import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { AnswerTo, Asked } from '#api/contract/client.ts'
import { call } from './api.ts'
import { keys } from './queries.ts'

// Webhooks; apart from the other calls, because only a part of one page has them.

export type Webhook = AnswerTo<'GET /api/webhooks'>['webhooks'][number]
export type ForeignWebhook = AnswerTo<'GET /api/user/foreign-webhooks'>['webhooks'][number]
export type Delivery = AnswerTo<'GET /api/webhooks/:id/deliveries'>['deliveries'][number]

export const addWebhook = (body: Asked<'POST /api/webhooks'>['body']) =>
  call('POST /api/webhooks', { body })

export const changeWebhook = (id: string, body: Asked<'PATCH /api/webhooks/:id'>['body']) =>
  call('PATCH /api/webhooks/:id', { params: { id }, body })

export const removeWebhook = (id: string) => call('DELETE /api/webhooks/:id', { params: { id } })

export const replaceSecret = (id: string) =>
  call('POST /api/webhooks/:id/secret', { params: { id } })

export const testWebhook = (id: string) => call('POST /api/webhooks/:id/test', { params: { id } })

export const redeliver = (id: string, delivery: string) =>
  call('POST /api/webhooks/:id/deliveries/:delivery/redeliver', { params: { id, delivery } })

export const bringWebhookOver = (key: string) =>
  call('POST /api/user/foreign-webhooks/bring-over', { body: { key } })

export const webhooksQuery = queryOptions({
  queryKey: keys.webhooks,
  queryFn: async () => (await call('GET /api/webhooks', {})).webhooks,
})

/** Each call asks the account's server, where the service serves other networks. */
export const foreignWebhooksQuery = queryOptions({
  queryKey: keys.foreignWebhooks,
  queryFn: () => call('GET /api/user/foreign-webhooks', {}),
})

const pendingPollMs = 2_000

/** Asked again while an answer is awaited. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.webhooks, id],
    queryFn: ({ pageParam }) =>
      call('GET /api/webhooks/:id/deliveries', {
        params: { id },
        query: pageParam === null ? {} : { cursor: pageParam },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    refetchInterval: ({ state }) => (state.data?.pages.some(isWaiting) ? pendingPollMs : false),
  })

/** For something soon: later attempts are minutes and hours apart. */
const isWaiting = ({ deliveries }: AnswerTo<'GET /api/webhooks/:id/deliveries'>): boolean =>
  deliveries.some(
    ({ attempts, failure, state }) => state === 'pending' && (failure === null || attempts < 3),
  )
