import { join } from 'node:path'
import { eventually } from './eventually.ts'
import type { World } from './world.ts'

/**
 * Counts `uploadBlob` calls as the account's server saw them. Begins now; the function returned says how
 * many there were since.
 */
export async function countUploads(world: World): Promise<() => Promise<number>> {
  const before = await uploadsSoFar(world)
  return async () => (await uploadsSoFar(world)) - before
}

// The server writes its log a little later: a request of our own shows up after all that came before it.
async function uploadsSoFar({ network, networkDir }: World): Promise<number> {
  const marker = crypto.randomUUID()
  await (await fetch(`${network.pds}/xrpc/_health?marker=${marker}`)).arrayBuffer()
  return await eventually(async () => {
    const log = await Bun.file(join(networkDir, 'pds.log')).text()
    if (!log.includes(marker)) throw new Error('the log is behind')
    return log.split('"url":"/xrpc/com.atproto.repo.uploadBlob"').length - 1
  })
}
