import type { AnswerTo } from '#api/contract/client.ts'
import styles from './parts/detail.module.css'
import { Facts } from './parts/facts.tsx'
import { When } from './parts/when.tsx'

type Work = NonNullable<AnswerTo<'GET /api/admin/sites/:did/:rkey'>['work']>

/** What is still to be read, and why it was not. */
export const WorkFacts = ({ work }: { work: Work }) => (
  <section aria-labelledby="work" className={styles['section']}>
    <h2 id="work">{work.nextAttemptAt === null ? 'Reading was given up' : 'Waits to be read'}</h2>
    <div className={styles['card']}>
      <Facts
        facts={[
          ['Tries', work.attempts],
          ['Since', <When at={work.enqueuedAt} key="since" />],
          ['Next try', <When at={work.nextAttemptAt} key="next" />],
          ['Last error', work.lastError ?? 'None'],
        ]}
      />
    </div>
  </section>
)
