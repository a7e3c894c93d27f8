import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { TakeOffline } from './take-offline.tsx'

const said = listsWords.siteActions

interface SiteActionsProps {
  readonly did: string
  readonly rkey: string
  /** What was taken offline; null: nothing. With its account, a site is brought back there. */
  readonly offline: 'site' | 'account' | null
  readonly onDone: (told: string) => void
}

/** What an administrator does to one site. */
export function SiteActions({ did, rkey, offline, onDone }: SiteActionsProps) {
  const params = { did, rkey }
  return (
    <div className={styles['buttons']}>
      {offline === 'site' && (
        <ActionDialog
          label={said.bringBack}
          onDone={onDone}
          perform={async (_, reason) => {
            await call('POST /api/admin/sites/:did/:rkey/bring-back', { params, body: { reason } })
            return said.broughtBack(rkey)
          }}
          says={said.bringBackSays}
          title={said.bringBackTitle(rkey)}
        />
      )}
      {offline === null && (
        <TakeOffline
          onDone={onDone}
          says={said.takeOfflineSays}
          title={said.takeOfflineTitle(rkey)}
          send={(body) => call('POST /api/admin/sites/:did/:rkey/take-down', { params, body })}
          told={said.takenOffline(rkey)}
        />
      )}
      <ActionDialog
        label={said.read}
        onDone={onDone}
        perform={async (_, reason) => {
          await call('POST /api/admin/sites/:did/:rkey/retry', { params, body: { reason } })
          return said.isRead(rkey)
        }}
        says={said.readSays}
        title={said.readTitle(rkey)}
      />
      <ActionDialog
        label={said.verify}
        onDone={onDone}
        perform={async (_, reason) => {
          const { files, damaged } = await call('POST /api/admin/sites/:did/:rkey/verify-blobs', {
            params,
            body: { reason },
          })
          return said.verified(files, damaged)
        }}
        says={said.verifySays}
        title={said.verifyTitle(rkey)}
      />
      <ActionDialog
        isDangerous
        label={said.purge}
        onDone={onDone}
        perform={async (_, reason) => {
          const { removed, kept } = await call('POST /api/admin/sites/:did/:rkey/purge-blobs', {
            params,
            body: { reason },
          })
          return said.purged(removed, kept)
        }}
        says={said.purgeSays}
        title={said.purgeTitle(rkey)}
      />
    </div>
  )
}
