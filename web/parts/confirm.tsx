import { type ReactNode, useId, useRef } from 'react'
import { Button } from './button.tsx'
import styles from './confirm.module.css'

interface ConfirmProps {
  /** On the button that asks. */
  readonly label: string
  /** What is to be confirmed, as a question. */
  readonly title: string
  /** On the button that does it. */
  readonly yes: string
  readonly isBusy: boolean
  readonly onConfirm: () => void
  readonly children: ReactNode
}

/** A button for an action that cannot be undone: a dialog lists what will be lost and asks again. */
export function Confirm({ label, title, yes, isBusy, onConfirm, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const confirm = () => {
    dialog.current?.close()
    onConfirm()
  }
  return (
    <>
      <Button
        aria-label={title.replace('?', '')}
        isBusy={isBusy}
        look="quiet"
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </Button>
      <dialog aria-labelledby={titleId} className={styles['dialog']} ref={dialog}>
        <h2 id={titleId}>{title}</h2>
        <div className={styles['text']}>{children}</div>
        <div className={styles['buttons']}>
          {/* First, so that it has the focus: pressing Enter too early loses nothing. */}
          <Button look="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </Button>
          <Button onClick={confirm}>{yes}</Button>
        </div>
      </dialog>
    </>
  )
}
