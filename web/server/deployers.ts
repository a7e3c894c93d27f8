import { queryOptions } from '@tanstack/react-query'
import type { AnswerTo, Asked } from '#api/contract/client.ts'
import { call } from './api.ts'
import { keys } from './queries.ts'

// Who may deploy a site from CI; apart from the other calls, because only a part of one page has them.

export type Publisher = AnswerTo<'GET /api/site/:rkey/publishers'>['publishers'][number]
export type DeployToken = AnswerTo<'GET /api/site/:rkey/tokens'>['tokens'][number]

export const addPublisher = (
  rkey: string,
  body: Asked<'POST /api/site/:rkey/publishers'>['body'],
) => call('POST /api/site/:rkey/publishers', { params: { rkey }, body })

export const removePublisher = (rkey: string, id: string) =>
  call('DELETE /api/site/:rkey/publishers/:id', { params: { rkey, id } })

export const createDeployToken = (
  rkey: string,
  body: Asked<'POST /api/site/:rkey/tokens'>['body'],
) => call('POST /api/site/:rkey/tokens', { params: { rkey }, body })

export const revokeDeployToken = (rkey: string, id: string) =>
  call('DELETE /api/site/:rkey/tokens/:id', { params: { rkey, id } })

/** Repositories whose CI jobs may deploy the site. */
export const publishersQuery = (rkey: string) =>
  queryOptions({
    queryKey: [...keys.site(rkey), 'publishers'],
    queryFn: async () =>
      (await call('GET /api/site/:rkey/publishers', { params: { rkey } })).publishers,
  })

export const deployTokensQuery = (rkey: string) =>
  queryOptions({
    queryKey: [...keys.site(rkey), 'tokens'],
    queryFn: async () => (await call('GET /api/site/:rkey/tokens', { params: { rkey } })).tokens,
  })
