import { forgetArrived } from '#store/queues/deploys.ts'
import { giveToInstance, listIdsOf } from '#store/queues/instance-rows.ts'
import type { JobContext } from './job-context.ts'

/**
 * For a start: jobs and open deploys from before this instance was one of several are its own where their files are here. The
 * only instance takes all: nobody else continues them.
 */
export async function adoptFormer({ db, spool }: Pick<JobContext, 'db' | 'spool'>): Promise<void> {
  const isOnly = spool.instance === ''
  const { deploys, jobs } = await listIdsOf(db, isOnly ? null : '')
  const adopted: string[] = []
  for (const id of [...jobs, ...deploys]) if (isOnly || (await spool.has(id))) adopted.push(id)
  await giveToInstance(db, adopted, spool.instance)
  if (!isOnly) return
  for (const id of deploys) if (!(await spool.has(id))) await forgetArrived(db, id)
}
