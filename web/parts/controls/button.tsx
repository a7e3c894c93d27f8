import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent } from 'react'
import { Icon } from '#web/parts/icon.tsx'
import styles from './button.module.css'

export type ButtonLook = 'primary' | 'secondary' | 'ghost' | 'danger'

interface ButtonProps extends ComponentProps<'button'> {
  /** One `primary` button a view: what the person came for. `ghost` in rows, `danger` for what destroys. */
  readonly look?: ButtonLook
  readonly icon?: LucideIcon
  /** What it does is under way: it takes no press, and keeps the focus, which `disabled` would give away. */
  readonly isBusy?: boolean
}

export function Button({
  look = 'primary',
  type = 'button',
  icon,
  isBusy = false,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  // Of a form's button too: Enter in a field presses it.
  const press = (event: MouseEvent<HTMLButtonElement>) =>
    isBusy ? event.preventDefault() : onClick?.(event)
  return (
    <button
      {...rest}
      aria-disabled={isBusy || undefined}
      className={buttonClass(look)}
      data-busy={isBusy || undefined}
      onClick={press}
      type={type}
    >
      {icon !== undefined && <Icon of={icon} />}
      {children}
    </button>
  )
}

/** For links that look like a button. */
export const buttonClass = (look: ButtonLook): string =>
  `${styles['button'] ?? ''} ${styles[look] ?? ''}`
