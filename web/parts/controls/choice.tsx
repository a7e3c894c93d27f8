import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './choice.module.css'

interface ChoiceProps extends ComponentProps<'input'> {
  readonly type: 'checkbox' | 'radio'
  readonly label: string
  /** What choosing it means. */
  readonly hint?: ReactNode
}

/** Something that is so or not, or one of several that exclude each other. */
export function Choice({ label, hint, ...input }: ChoiceProps) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className={styles['choice']}>
      <input {...input} aria-describedby={hint === undefined ? undefined : hintId} id={id} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p className={styles['hint']} id={hintId}>
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
