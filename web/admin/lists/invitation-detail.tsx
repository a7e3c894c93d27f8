import type { AnswerTo } from '#api/contract/client.ts'
import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { Facts } from '#web/admin/parts/facts.tsx'
import type { OnDone } from '#web/admin/parts/list-page.tsx'
import { AccountLink } from '#web/admin/parts/places.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'

const said = listsWords.invitationDetail

export type Invitation = AnswerTo<'GET /api/admin/invitations'>['invitations'][number]

interface InvitationDetailProps {
  readonly invitation: Invitation
  readonly onDone: OnDone
}

/** One invitation, and revoking it while nobody has used it. */
export function InvitationDetail({ invitation, onDone }: InvitationDetailProps) {
  const { createdAt, createdBy, expiresAt, id, usedAt, usedBy } = invitation
  return (
    <div className={styles['detail']}>
      <Facts
        facts={[
          ['Id', <code key="id">{id}</code>],
          ['Created by', createdBy],
          ['Created', <When at={createdAt} key="created" />],
          ['Ends', <When at={expiresAt} key="ends" />],
          ...(usedBy === null
            ? []
            : ([
                ['Used by', <AccountLink did={usedBy} handle={null} key="guest" />],
                ['Used', <When at={usedAt} key="used" />],
              ] as const)),
        ]}
      />
      {usedBy === null && (
        <div className={styles['buttons']}>
          <ActionDialog
            isDangerous
            label={said.revoke}
            onDone={onDone}
            perform={async (_, reason) => {
              await call('POST /api/admin/invitations/:id/revoke', {
                params: { id },
                body: { reason },
              })
              return said.revoked
            }}
            says={said.says}
            title={said.title}
          />
        </div>
      )}
    </div>
  )
}
