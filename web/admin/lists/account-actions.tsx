import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { LimitsDialog, type LimitsDialogProps } from './limits-dialog.tsx'
import { TakeOffline } from './take-offline.tsx'

const said = listsWords.accountActions

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
          label={said.bringBack}
          onDone={onDone}
          perform={async (_, reason) => {
            await call('POST /api/admin/accounts/:did/bring-back', { params, body: { reason } })
            return said.broughtBack(name)
          }}
          says={said.bringBackSays}
          title={said.bringBackTitle(name)}
        />
      ) : (
        <TakeOffline
          onDone={onDone}
          says={said.takeOfflineSays}
          title={said.takeOfflineTitle(name)}
          send={(body) => call('POST /api/admin/accounts/:did/take-down', { params, body })}
          told={said.takenOffline(name)}
        />
      )}
      <ActionDialog
        label={said.endSessions}
        onDone={onDone}
        perform={async (_, reason) => {
          await call('POST /api/admin/accounts/:did/end-sessions', { params, body: { reason } })
          return said.sessionsEnded(name)
        }}
        says={said.endSessionsSays}
        title={said.endSessionsTitle(name)}
      />
      <LimitsDialog did={did} limits={limits} name={name} onDone={onDone} />
    </div>
  )
}
