import { join } from 'node:path'
import { callsFile, type World } from '#tests/support/world.ts'

/**
 * Counts `uploadBlob` calls as the account's server saw them. Begins now; the function returned says how
 * many there were since.
 */
export const countUploads = (world: World): Promise<() => Promise<number>> =>
  countCalls(world, 'com.atproto.repo.uploadBlob')

/** As `countUploads`, for any method or path. */
export async function countCalls(world: World, method: string): Promise<() => Promise<number>> {
  const before = await callsSoFar(world, method)
  return async () => (await callsSoFar(world, method)) - before
}

async function callsSoFar({ networkDir }: World, method: string): Promise<number> {
  const path = method.startsWith('/') ? method : `/xrpc/${method}`
  const calls = (await Bun.file(join(networkDir, callsFile)).text()).split('\n')
  return calls.filter((call) => call === path).length
}
