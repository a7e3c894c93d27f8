import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { call } from '#web/server/api.ts'
import { TakeOffline } from './take-offline.tsx'

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
          label="Bring back"
          onDone={onDone}
          perform={async (_, reason) => {
            await call('POST /api/admin/sites/:did/:rkey/bring-back', { params, body: { reason } })
            return `${rkey} is back.`
          }}
          says="Visitors get the site again, in its latest version."
          title={`Bring ${rkey} back?`}
        />
      )}
      {offline === null && (
        <TakeOffline
          onDone={onDone}
          says="Visitors stop getting the site at once, at all of its addresses; later versions stay offline too. The owner’s own repository is not touched, and the owner reads the reason."
          title={`Take ${rkey} offline?`}
          send={(body) => call('POST /api/admin/sites/:did/:rkey/take-down', { params, body })}
          told={`${rkey} is offline.`}
        />
      )}
      <ActionDialog
        label="Read again"
        onDone={onDone}
        perform={async (_, reason) => {
          await call('POST /api/admin/sites/:did/:rkey/retry', { params, body: { reason } })
          return `${rkey} is being read again.`
        }}
        says="The site is read from its owner’s server now, also where that was given up."
        title={`Read ${rkey} again?`}
      />
      <ActionDialog
        label="Verify files"
        onDone={onDone}
        perform={async (_, reason) => {
          const { files, damaged } = await call('POST /api/admin/sites/:did/:rkey/verify-blobs', {
            params,
            body: { reason },
          })
          return `${files} files were read; ${damaged} were damaged or missing and are fetched again.`
        }}
        says="Every stored byte of the live version is read and compared with its hash; what is damaged is fetched again."
        title={`Verify the files of ${rkey}?`}
      />
      <ActionDialog
        isDangerous
        label="Purge files"
        onDone={onDone}
        perform={async (_, reason) => {
          const { removed, kept } = await call('POST /api/admin/sites/:did/:rkey/purge-blobs', {
            params,
            body: { reason },
          })
          return `${removed} stored files were removed; ${kept} are kept, for other sites have them too.`
        }}
        says="The stored copies that only this site has are removed from this server. Unless the site is offline, visitors cause them to be fetched again."
        title={`Purge the stored files of ${rkey}?`}
      />
    </div>
  )
}
