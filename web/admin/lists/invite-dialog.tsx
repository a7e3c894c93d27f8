import type { AnswerTo } from '#api/contract/client.ts'
import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import type { OnDone } from '#web/admin/parts/list-page.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { CopyButton } from '#web/parts/copy-button.tsx'
import { TextField } from '#web/parts/field.tsx'
import { call } from '#web/server/api.ts'
import styles from './invite-dialog.module.css'

export type NewInvitation = AnswerTo<'POST /api/admin/invitations'>

interface InviteDialogProps {
  readonly onCreated: (invitation: NewInvitation) => void
  readonly onDone: OnDone
}

/** Creates an invitation, whose address `onCreated` gets: it cannot be read again. */
export const InviteDialog = ({ onCreated, onDone }: InviteDialogProps) => (
  <ActionDialog
    label="Invite"
    onDone={onDone}
    perform={async (fields, reason) => {
      const body = { days: Number(fields.get('days')), reason }
      onCreated(await call('POST /api/admin/invitations', { body }))
      return 'The invitation is created.'
    }}
    says="You get an address for one guest. The account that signs in with it is on the allow list from then on."
    title="Invite a guest?"
  >
    <TextField
      defaultValue={7}
      inputMode="numeric"
      label="Days until it ends"
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
  <section aria-label="New invitation" className={styles['note']}>
    <p>
      Send this address to your guest. It works once, until <When at={invitation.expiresAt} />, and
      is shown only now.
    </p>
    <p className={styles['address']}>
      <code>{invitation.url}</code>
      <CopyButton text={invitation.url} what="the address of the invitation" />
    </p>
  </section>
)
