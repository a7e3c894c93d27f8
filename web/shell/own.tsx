import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '#web/parts/controls/button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { openQueryClient } from '#web/server/query-client.ts'
import { SiteFrame } from '#web/site/site-frame.tsx'
import { words } from '#web/words/words.ts'
import '#web/words/own.ts'
import './own-modules.ts'
import { AccountMenu } from '#web/shell/bar/account-menu.tsx'
import { SiteSwitcher } from '#web/shell/bar/site-switcher.tsx'
import styles from '#web/shell/bar/top-bar.module.css'
import { Link } from '#web/shell/routing/link.tsx'
import { haveOwnParts } from './own-parts.ts'

let opened: QueryClient | null = null

/** Of this tab. */
function client(): QueryClient {
  opened ??= openQueryClient()
  return opened
}

/** Around what asks the server by queries. */
function Queries({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={client()}>{children}</QueryClientProvider>
}

/** The bar of the account's pages: its sites, a new one, and who is signed in. */
function Bar() {
  const { shell } = words
  return (
    <Queries>
      <span aria-hidden="true" className={styles['slash']}>
        /
      </span>
      <SiteSwitcher />
      <Link
        aria-label={shell.newSite}
        className={`${buttonClass('secondary')} ${styles['new']}`}
        href="/onboarding"
      >
        <Icon of={Plus} />
        <span className={styles['newName']}>{shell.newSite}</span>
      </Link>
      <AccountMenu />
    </Queries>
  )
}

export const parts = { Bar, client, Queries, SiteFrame }

haveOwnParts(parts)
