import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '#web/parts/controls/icon-button.tsx'
import { words } from '#web/words/words.ts'
import styles from './dialog.module.css'

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
  /** Buttons, the one that does it last. */
  readonly actions?: ReactNode
}

/** A window over the page, which waits for an answer. Escape and a press outside it close it. */
export function Dialog({ isOpen, onClose, title, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const [isShown, setShown] = useState(false)
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
    // Rendered after the dialog is shown: what is in a hidden one cannot take the focus.
    setShown(isOpen)
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the close button do the same.
    <dialog
      aria-labelledby={titleId}
      className={styles['dialog']}
      onClick={(event) => event.target === dialog.current && onClose()}
      // The browser reports it later: by then the dialog may be open again.
      onClose={() => !dialog.current?.open && onClose()}
      ref={dialog}
    >
      {isShown && (
        <div className={styles['body']}>
          <header className={styles['head']}>
            <h2 id={titleId}>{title}</h2>
            <IconButton icon={X} label={words.parts.close} onClick={onClose} />
          </header>
          <div className={styles['text']}>{children}</div>
          {actions !== undefined && <footer className={styles['actions']}>{actions}</footer>}
        </div>
      )}
    </dialog>
  )
}
