import { type ReactNode, useEffect, useRef } from 'react'
import { useAddress } from '#web/shell/routing/address.ts'
import { Link } from '#web/shell/routing/link.tsx'
import styles from './tabs.module.css'

export interface Tab {
  readonly href: string
  readonly name: string
  /** Beside the name, such as a count. */
  readonly note?: ReactNode
}

/** Parts of one thing, each a page with an address. On a narrow screen they scroll sideways. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const { pathname } = useAddress()
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = pathname && list.current?.querySelector('[aria-current]')
    if (current) current.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
  return (
    <nav aria-label={label} className={styles['tabs']} ref={list}>
      {tabs.map(({ href, name, note }) => (
        <Link
          aria-current={pathname === href ? 'page' : undefined}
          className={styles['tab']}
          href={href}
          key={href}
        >
          {name}
          {note !== undefined && <span className={styles['note']}>{note}</span>}
        </Link>
      ))}
    </nav>
  )
}
