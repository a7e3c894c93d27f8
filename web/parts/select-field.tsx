import { type ComponentProps, useId } from 'react'
import styles from './field.module.css'

interface SelectFieldProps extends ComponentProps<'select'> {
  readonly label: string
  /** What the empty choice means. */
  readonly none: string
  readonly choices: readonly string[]
}

/** One of a few, or none. */
export function SelectField({ label, none, choices, ...select }: SelectFieldProps) {
  const id = useId()
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <select {...select} className={styles['control']} id={id}>
        <option value="">{none}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </div>
  )
}
