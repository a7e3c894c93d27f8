import { X } from 'lucide-react'
import { Button } from '#web/parts/controls/button.tsx'
import { IconButton } from '#web/parts/controls/icon-button.tsx'
import { words } from '#web/words/words.ts'
import styles from './toast-region.module.css'
import { dismissToast, useToasts } from './toasts.ts'

/** The one live region of the app: what has happened, wherever the page is scrolled to. */
export function ToastRegion() {
  const toasts = useToasts()
  return (
    <section aria-label={words.shell.notices} aria-live="polite" className={styles['region']}>
      {toasts.map(({ id, text, tone, action }) => (
        <div className={styles['toast']} data-tone={tone} key={id} role="status">
          <p>{text}</p>
          {action !== null && (
            <Button
              look="ghost"
              onClick={() => {
                dismissToast(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton icon={X} label={words.shell.dismiss} onClick={() => dismissToast(id)} />
        </div>
      ))}
    </section>
  )
}
