import { type ComponentProps, useId } from 'react'
import styles from './choice.module.css'

interface ChoiceProps extends ComponentProps<'input'> {
  readonly type: 'checkbox' | 'radio'
  readonly label: string
}

/** Something that is so or not, or one of several that exclude each other. */
export function Choice({ label, ...input }: ChoiceProps) {
  const id = useId()
  return (
    <div className={styles['choice']}>
      <input {...input} id={id} />
      <label htmlFor={id}>{label}</label>
    </div>
  )
}
