import { CopyButton } from './controls/copy-button.tsx'
import { Notice } from './notice.tsx'
import styles from './once-shown.module.css'

interface OnceShownProps {
  readonly title: string
  readonly secret: string
  /** What is copied, in words. */
  readonly what: string
}

/** A secret just made, to copy: it is never shown again. */
export function OnceShown({ title, secret, what }: OnceShownProps) {
  return (
    <Notice title={title} tone="good">
      <p className={styles['secret']}>
        <code>{secret}</code>
        <CopyButton text={secret} what={what} />
      </p>
    </Notice>
  )
}
