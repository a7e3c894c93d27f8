import type { ComponentProps } from 'react'
import styles from './button.module.css'

interface ButtonProps extends ComponentProps<'button'> {
  /** One `primary` button a step: what the person came for. */
  readonly look?: 'primary' | 'quiet'
}

export function Button({ look = 'primary', type = 'button', ...rest }: ButtonProps) {
  return <button {...rest} className={styles[look]} type={type} />
}
