import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { Facts } from '#web/admin/parts/facts.tsx'
import { AccountLink, LogLink } from '#web/admin/parts/places.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { formatBytes, formatCount } from '#web/parts/bytes.ts'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import type { AdminJob } from './job-columns.tsx'

const said = listsWords.jobDetail

interface JobDetailProps {
  readonly job: AdminJob
  readonly onDone: (told: string) => void
}

/** All about one upload. */
export function JobDetail({ job, onDone }: JobDetailProps) {
  const { bytes, createdAt, did, error, files, finishedAt, handle, id, startedAt } = job
  return (
    <div className={styles['detail']}>
      <Facts
        facts={[
          ['Job', <code key="id">{id}</code>],
          ['Account', <AccountLink did={did} handle={handle} key="account" />],
          ['Owner', <code key="did">{did}</code>],
          ['Files', formatCount(files, 'file')],
          ['Size', formatBytes(bytes)],
          ['Received', <When at={createdAt} key="received" />],
          ['Begun', <When at={startedAt} key="begun" />],
          ['Ended', <When at={finishedAt} key="ended" />],
          ...(error === null ? [] : [['Why it failed', error] as const]),
        ]}
      />
      <p>
        <LogLink search={id} />
      </p>
      {finishedAt === null && (
        <div className={styles['buttons']}>
          <ActionDialog
            isDangerous
            label={said.cancel}
            onDone={onDone}
            perform={async (_, reason) => {
              await call('POST /api/admin/jobs/:id/cancel', { params: { id }, body: { reason } })
              return said.cancelled
            }}
            says={said.says}
            title={said.title}
          />
        </div>
      )}
    </div>
  )
}
