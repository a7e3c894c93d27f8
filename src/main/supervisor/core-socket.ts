import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Answer } from '#edge/dispatch.ts'
import { answerRelayed, peerField } from '#main/relay/relayed-requests.ts'
import { connectionIdleSeconds } from '#site/limits.ts'

/** Where the core answers the edge processes; missing while it does not. */
export const coreSocketIn = (folder: string): string => join(folder, 'core')

/** Edge processes that have connected before the socket was gone are answered after so long at most. */
const acceptMs = 200
const pollMs = 50

interface CoreSocketOptions {
  readonly folder: string
  /** Answers requests as they arrived at an edge process. */
  readonly answer: Answer
  /** Answers the instance's own. */
  readonly answerOwn: (request: Request) => Promise<Response>
}

export interface CoreSocket extends AsyncDisposable {
  /** From now on, edge processes wait for the next core. */
  leave(): Promise<void>
  /** Resolves when no request is being answered, at the latest when the signal is aborted. */
  idle(over: AbortSignal): Promise<void>
}

/** Answers the edge processes of the instance at a socket in the folder. */
export async function openCoreSocket(options: CoreSocketOptions): Promise<CoreSocket> {
  const { answerOwn, folder } = options
  // Bun removes the path at which a server began, even if another one is there by then (Bun 1.4.5).
  const path = join(folder, `core-${process.pid}`)
  await rm(path, { force: true })
  const server = Bun.serve({
    unix: path,
    // Its types have it for ports only (bun-types 1.4.5).
    ...({ idleTimeout: connectionIdleSeconds } as object),
    development: false,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Without a peer it comes from a process of the instance itself.
    fetch: (request, server) =>
      request.headers.has(peerField)
        ? answerRelayed(request, server, options.answer)
        : answerOwn(request),
  })
  await rename(path, coreSocketIn(folder))
  return {
    async leave() {
      await rm(coreSocketIn(folder), { force: true })
      await setTimeout(acceptMs)
    },
    async idle(over) {
      while (server.pendingRequests > 0 && !over.aborted) {
        await setTimeout(pollMs, undefined, { signal: over }).catch(() => undefined)
      }
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
