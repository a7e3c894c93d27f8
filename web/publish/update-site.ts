import { goTo } from '#web/shell/routing/address.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import type { Choice } from './files/choose-files.ts'
import { findRemovals } from './find-removals.ts'
import { publishSession } from './publish-session.ts'
import { isRunning } from './publish-state.ts'

/**
 * Publishes what was dropped on a site, or chosen for it. Pages that show the site show the progress. What has to be
 * decided first is asked on the page for that.
 */
export async function updateSite(site: string, take: () => Promise<Choice | null>): Promise<void> {
  const { publish } = publishSession.state
  if (isRunning(publish)) return toast(words.publish.update.busy(publish.siteName), danger)
  const choice = await take()
  if (choice === null) {
    const { problem } = publishSession.state
    return problem === null ? undefined : toast(problem, danger)
  }
  if (hasQuestions(choice) || (await findRemovals(site, choice)) !== null) {
    return goTo(`/onboarding?${new URLSearchParams({ site })}`)
  }
  await publishSession.publish(site)
  await finish(site)
}

/** Continues what this tab was sending for a site when its document was left. */
export async function continueUpdate(site: string): Promise<void> {
  if (publishSession.wanted !== site) return
  await publishSession.restore()
  const { isRestored, publish } = publishSession.state
  if (publishSession.wanted !== site || !isRestored || publish.stage !== 'idle') return
  // What the service has nothing of is asked for on the page for that.
  if (!publishSession.hasBegun) return
  await publishSession.continue(site)
  await finish(site)
}

/** The same once more. */
export async function retryUpdate(site: string): Promise<void> {
  const { publish } = publishSession.state
  if (publish.stage !== 'failed') return
  await (publish.kind === 'conflict' ? publishSession.publish(site) : publishSession.retry())
  await finish(site)
}

const danger = { tone: 'danger' } as const

const hasQuestions = ({ problems, startPage }: Choice): boolean =>
  problems.length > 0 || startPage.kind !== 'index'

/** The page for new sites shows the result itself. A failure stays where the progress was. */
async function finish(site: string): Promise<void> {
  const { publish } = publishSession.state
  const isOver = publish.stage === 'done' || publish.stage === 'failed'
  if (!isOver || publish.siteName !== site || location.pathname === '/onboarding') return
  if (publish.stage === 'done') toast(words.publish.update.done(site))
  else if (publish.kind === 'cancelled') toast(publish.message)
  else return
  await publishSession.clear()
}
