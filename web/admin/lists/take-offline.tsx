import styles from '#web/admin/parts/action-dialog.module.css'
import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'

interface TakeOfflineProps {
  readonly title: string
  /** What will happen. */
  readonly says: string
  /** What has happened. */
  readonly told: string
  readonly send: (body: { readonly status: 451 | 404; readonly reason: string }) => Promise<unknown>
  readonly onDone: (told: string) => void
}

/** Asks what visitors get instead, and why. */
export const TakeOffline = ({ title, says, told, send, onDone }: TakeOfflineProps) => (
  <ActionDialog
    isDangerous
    label="Take offline"
    onDone={onDone}
    perform={async (fields, reason) => {
      await send({ status: fields.get('status') === '404' ? 404 : 451, reason })
      return told
    }}
    says={says}
    title={title}
  >
    <fieldset className={styles['choices']}>
      <legend>Visitors get</legend>
      <label>
        <input defaultChecked name="status" type="radio" value="451" />
        <span>451: taken offline for legal reasons</span>
      </label>
      <label>
        <input name="status" type="radio" value="404" />
        <span>404: as if there were no site</span>
      </label>
    </fieldset>
  </ActionDialog>
)
