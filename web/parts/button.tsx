import type { ComponentProps, MouseEvent } from 'react'
import styles from './button.module.css'

interface ButtonProps extends ComponentProps<'button'> {
  /** One `primary` button a step: what the person came for. */
  readonly look?: 'primary' | 'quiet'
  /** What it does is under way: it takes no press, and keeps the focus, which `disabled` would give away. */
  readonly isBusy?: boolean
}

export function Button({
  look = 'primary',
  type = 'button',
  isBusy = false,
  onClick,
  ...rest
}: ButtonProps) {
  // Of a form's button too: Enter in a field presses it.
  const press = (event: MouseEvent<HTMLButtonElement>) =>
    isBusy ? event.preventDefault() : onClick?.(event)
  return (
    <button
      {...rest}
      aria-disabled={isBusy || undefined}
      className={styles[look]}
      onClick={press}
      type={type}
    />
  )
}
