import styles from '#web/admin/parts/action-dialog.module.css'
import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import { listsWords } from '#web/words/admin/lists.ts'

const said = listsWords.takeOffline

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
    label={said.label}
    onDone={onDone}
    perform={async (fields, reason) => {
      await send({ status: fields.get('status') === '404' ? 404 : 451, reason })
      return told
    }}
    says={says}
    title={title}
  >
    <fieldset className={styles['choices']}>
      <legend>{said.visitorsGet}</legend>
      <label>
        <input defaultChecked name="status" type="radio" value="451" />
        <span>{said.status451}</span>
      </label>
      <label>
        <input name="status" type="radio" value="404" />
        <span>{said.status404}</span>
      </label>
    </fieldset>
  </ActionDialog>
)
