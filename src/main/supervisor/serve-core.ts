import type { Answer } from '#edge/dispatch.ts'
import type { CoreParts } from '#main/service/service.ts'
import { openCoreSocket } from './core-socket.ts'
import type { DiscoverQuestion } from './edge-process.ts'
import type { SupervisorLink } from './supervisor-link.ts'

/** Between two wake-ups for the edge processes: a network may write many changes. */
const changesEveryMs = 20

interface CoreOptions {
  readonly folder: string
  readonly link: SupervisorLink
  readonly fetch: Answer
  readonly core: CoreParts
  /** Stops the service. */
  readonly retire: () => void
  readonly over: AbortSignal
}

/** Answers the edge processes of this instance, and counts for them. */
export async function openCore(
  options: CoreOptions,
  opened: AsyncDisposableStack,
): Promise<{ drained(): Promise<void> }> {
  const { core, fetch, folder, link, over, retire } = options
  const answerOwn = (request: Request) => answerDiscover(request, core)
  const socket = opened.use(await openCoreSocket({ folder, answer: fetch, answerOwn }))
  let next: Promise<void> = Promise.resolve()
  link.onMessage((message) => {
    switch (message.kind) {
      case 'wake-up':
        return core.wakeUps.notify(message.topic)
      case 'processes':
        return core.edges?.know(message.processes)
      case 'report':
        return core.edges?.take(message.pid, message.report)
      case 'retire':
        // Another core is to take over.
        next = socket.leave()
        void next.then(retire)
        return
      case 'steer':
        return
    }
  })
  opened.use(forwardChanges(core, link))
  return {
    async drained() {
      await next
      await socket.idle(over)
    },
  }
}

/** The edge processes read changes sooner than they would by polling. */
function forwardChanges({ wakeUps }: CoreParts, link: SupervisorLink): Disposable {
  let timer: Timer | null = null
  const forwarding = wakeUps.forward(['changes'], () => {
    timer ??= setTimeout(() => {
      timer = null
      link.send({ kind: 'wake-up', topic: 'changes' })
    }, changesEveryMs)
  })
  return {
    [Symbol.dispose]() {
      forwarding[Symbol.dispose]()
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/** By one process, so that what a client may bring is counted once. */
async function answerDiscover(request: Request, { discover }: CoreParts): Promise<Response> {
  if (discover === null) return Response.json({ kind: 'not-found' })
  const { client, owner } = (await request.json()) as DiscoverQuestion
  return Response.json(await discover(owner, client))
}
