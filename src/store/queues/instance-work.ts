import type { Db } from '#store/database/database.ts'
import { type ListedInstance, listInstances } from '#store/instances.ts'

/** An instance with what its spool has. */
export interface WorkingInstance extends ListedInstance {
  /** Jobs that have not ended. */
  readonly jobs: number
  /** Open deploys. */
  readonly deploys: number
}

/** The instances that share the database; none where one process is all there is. */
export async function listWorkingInstances(db: Db): Promise<WorkingInstance[]> {
  const instances = await listInstances(db)
  if (instances.length === 0) return []
  const jobs = await db
    .selectFrom('jobs')
    .select(({ fn }) => ['instance', fn.countAll<number>().as('count')])
    .where('finishedAt', 'is', null)
    .groupBy('instance')
    .execute()
  const deploys = await db
    .selectFrom('deploys')
    .select(({ fn }) => ['instance', fn.countAll<number>().as('count')])
    .where('committedAt', 'is', null)
    .groupBy('instance')
    .execute()
  const countOf = (rows: typeof jobs, id: string): number =>
    Number(rows.find(({ instance }) => instance === id)?.count ?? 0)
  return instances.map((instance) => ({
    ...instance,
    jobs: countOf(jobs, instance.id),
    deploys: countOf(deploys, instance.id),
  }))
}
