import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './switch.module.css'

interface SwitchProps extends ComponentProps<'input'> {
  readonly label: string
  readonly hint?: ReactNode
}

/** Turns something on and off, at once. In a form that is saved, use `Choice`. */
export function Switch({ label, hint, ...input }: SwitchProps) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className={styles['row']}>
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p className={styles['hint']} id={hintId}>
            {hint}
          </p>
        )}
      </div>
      <input
        {...input}
        aria-describedby={hint === undefined ? undefined : hintId}
        className={styles['switch']}
        id={id}
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has a state of its own.
        role="switch"
        type="checkbox"
      />
    </div>
  )
}
