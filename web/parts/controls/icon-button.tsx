import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Icon } from '#web/parts/icon.tsx'
import styles from './icon-button.module.css'

interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: LucideIcon
  /** What it does, for screen readers and on hover. */
  readonly label: string
}

/** A square button with a drawing alone, in rows and bars. */
export function IconButton({ icon, label, type = 'button', ...rest }: IconButtonProps) {
  return (
    <button {...rest} aria-label={label} className={styles['button']} title={label} type={type}>
      <Icon of={icon} size={20} />
    </button>
  )
}
