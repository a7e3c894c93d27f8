import type { AnswerTo } from '#api/contract/client.ts'
import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import type { OnDone } from '#web/admin/parts/list-page.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import styles from './invite-dialog.module.css'

const said = listsWords.inviteDialog

export type NewInvitation = AnswerTo<'POST /api/admin/invitations'>

interface InviteDialogProps {
  readonly onCreated: (invitation: NewInvitation) => void
  readonly onDone: OnDone
}

/** Creates an invitation, whose address `onCreated` gets: it cannot be read again. */
export const InviteDialog = ({ onCreated, onDone }: InviteDialogProps) => (
  <ActionDialog
    label={said.invite}
    onDone={onDone}
    perform={async (fields, reason) => {
      const body = { days: Number(fields.get('days')), reason }
      onCreated(await call('POST /api/admin/invitations', { body }))
      return said.created
    }}
    says={said.says}
    title={said.title}
  >
    <TextField
      defaultValue={7}
      inputMode="numeric"
      label={said.days}
      max={daysMax}
      min={1}
      name="days"
      required
      step={1}
      type="number"
    />
  </ActionDialog>
)

/** As the contract has it. */
const daysMax = 90

/** The address for the guest. */
export const NewInvitationNote = ({ invitation }: { invitation: NewInvitation }) => (
  <section aria-label={said.newInvitation} className={styles['note']}>
    <p>
      {said.send} <When at={invitation.expiresAt} />
    </p>
    <p className={styles['address']}>
      <code>{invitation.url}</code>
      <CopyButton text={invitation.url} what="the address of the invitation" />
    </p>
  </section>
)
