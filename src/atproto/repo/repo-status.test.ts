import { expect, test } from 'bun:test'
import { ServerRefusedError, UnusableAnswerError } from '#outbound/server-errors.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { readRepoStatus } from './repo-status.ts'

const statusFrom = (answer: Response) =>
  readRepoStatus(
    { did: alice, pds: 'https://pds.test' },
    { fetch: async () => answer, signal: new AbortController().signal },
  )

test.each([
  [{ active: true }, 'active'],
  [{ active: true, status: 'takendown' }, 'active'],
  [{ active: false }, 'deactivated'],
  [{ active: false, status: 'desynchronized' }, 'deactivated'],
  [{ active: false, status: 'takendown' }, 'takendown'],
  [{ active: false, status: 'suspended' }, 'suspended'],
  [{ active: false, status: 'deleted' }, 'deleted'],
] as const)('%j is %s', async (body, status) => {
  expect(await statusFrom(Response.json({ did: alice, ...body }))).toBe(status)
})

test.each([[{ did: bob, active: true }], [{ did: alice }], [{ did: alice, active: 'no' }]])(
  '%j is no answer',
  async (body) => {
    await expect(statusFrom(Response.json(body))).rejects.toBeInstanceOf(UnusableAnswerError)
  },
)

const refusals = [
  ['RepoNotFound', 'deleted'],
  ['RepoTakendown', 'takendown'],
  ['RepoSuspended', 'suspended'],
  ['RepoDeactivated', 'deactivated'],
] as const

test.each(refusals)('%s with a client error is %s', async (error, expected) => {
  for (const status of [400, 404, 499]) {
    expect(await statusFrom(Response.json({ error }, { status }))).toBe(expected)
  }
})

test.each(refusals)('%s from a failing gateway says nothing about the account', async (error) => {
  for (const status of [500, 502, 503, 599]) {
    const reading = statusFrom(Response.json({ error }, { status }))
    await expect(reading).rejects.toMatchObject({ name: ServerRefusedError.name, status })
  }
})

test('another refusal says nothing about the account', async () => {
  const reading = statusFrom(Response.json({ error: 'InvalidRequest' }, { status: 400 }))
  await expect(reading).rejects.toBeInstanceOf(ServerRefusedError)
})
