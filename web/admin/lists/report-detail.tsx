import type { AnswerTo } from '#api/contract/client.ts'
import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { Facts } from '#web/admin/parts/facts.tsx'
import { AccountLink, SiteLink } from '#web/admin/parts/places.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'

const said = listsWords.reportDetail

interface ReportDetailProps {
  readonly report: AnswerTo<'GET /api/admin/reports'>['reports'][number]
  readonly onDone: (told: string) => void
}

/** A visitor's complaint, and closing it. */
export function ReportDetail({ report, onDone }: ReportDetailProps) {
  const { contact, createdAt, did, handledAt, handledBy, id, outcome, rkey, state, text, url } =
    report
  return (
    <div className={styles['detail']}>
      <p className={styles['text']}>{text}</p>
      <Facts
        facts={[
          ['Address', <code key="url">{url}</code>],
          ['Site', <SiteLink did={did} key="site" rkey={rkey} />],
          ['Account', <AccountLink did={did} handle={null} key="account" />],
          ['Contact', contact ?? 'None given'],
          ['First', <When at={createdAt} key="first" />],
          ...(state === 'open'
            ? []
            : ([
                ['Handled by', handledBy],
                ['Handled', <When at={handledAt} key="handled" />],
                ['Outcome', outcome],
              ] as const)),
        ]}
      />
      {state === 'open' && (
        <div className={styles['buttons']}>
          <ActionDialog
            label={said.close}
            onDone={onDone}
            perform={async (fields, reason) => {
              const body = { outcome: String(fields.get('outcome')).trim(), reason }
              await call('POST /api/admin/reports/:id/handle', { params: { id }, body })
              return said.closed
            }}
            says={said.says}
            title={said.title}
          >
            <TextField
              label={said.outcome}
              maxLength={outcomeMax}
              name="outcome"
              placeholder={said.outcomeSample}
              required
            />
          </ActionDialog>
        </div>
      )}
    </div>
  )
}

/** As the contract has it. */
const outcomeMax = 500
