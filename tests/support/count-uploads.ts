import { join } from 'node:path'
import { eventually } from './eventually.ts'
import type { World } from './world.ts'

/**
 * Counts `uploadBlob` calls as the account's server saw them. Begins now; the function returned says how
 * many there were since.
 */
export const countUploads = (world: World): Promise<() => Promise<number>> =>
  countCalls(world, 'com.atproto.repo.uploadBlob')

/** As `countUploads`, for any method. */
export async function countCalls(world: World, method: string): Promise<() => Promise<number>> {
  const before = await callsSoFar(world, method)
  return async () => (await callsSoFar(world, method)) - before
}

// The server writes its log a little later: a request of our own shows up after all that came before it.
async function callsSoFar({ network, networkDir }: World, method: string): Promise<number> {
  const marker = crypto.randomUUID()
  await (await fetch(`${network.pds}/xrpc/_health?marker=${marker}`)).arrayBuffer()
  return await eventually(async () => {
    const log = await Bun.file(join(networkDir, 'pds.log')).text()
    if (!log.includes(marker)) throw new Error('the log is behind')
    return log.split(new RegExp(`"url":"/xrpc/${method}["?]`)).length - 1
  })
}
