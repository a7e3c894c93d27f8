import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { call } from '#web/server/api.ts'
import { LimitsDialog, type LimitsDialogProps } from './limits-dialog.tsx'
import { TakeOffline } from './take-offline.tsx'

/** What an administrator does to an account as a whole. */
export function AccountActions({
  did,
  limits,
  name,
  isOffline,
  onDone,
}: LimitsDialogProps & { readonly isOffline: boolean }) {
  const params = { did }
  return (
    <div className={styles['buttons']}>
      {isOffline ? (
        <ActionDialog
          label="Bring back"
          onDone={onDone}
          perform={async (_, reason) => {
            await call('POST /api/admin/accounts/:did/bring-back', { params, body: { reason } })
            return `The sites of ${name} are back.`
          }}
          says="Visitors get the account’s sites again. Sites that were taken offline one by one stay offline."
          title={`Bring ${name} back?`}
        />
      ) : (
        <TakeOffline
          onDone={onDone}
          says="Visitors stop getting all sites of the account at once, and later ones too. The account’s own repository is not touched."
          title={`Take all sites of ${name} offline?`}
          send={(body) => call('POST /api/admin/accounts/:did/take-down', { params, body })}
          told={`All sites of ${name} are offline.`}
        />
      )}
      <ActionDialog
        label="End sessions"
        onDone={onDone}
        perform={async (_, reason) => {
          await call('POST /api/admin/accounts/:did/end-sessions', { params, body: { reason } })
          return `${name} is signed out everywhere.`
        }}
        says="The account is signed out of all browsers. Its sites stay online, and it may sign in again."
        title={`End all sessions of ${name}?`}
      />
      <LimitsDialog did={did} limits={limits} name={name} onDone={onDone} />
    </div>
  )
}
