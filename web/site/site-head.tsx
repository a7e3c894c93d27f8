import { ExternalLink, FolderUp, QrCode } from 'lucide-react'
import { useState } from 'react'
import type { Site } from '#api/contract/client.ts'
import { bestAddress } from '#site/best-address.ts'
import { Button, buttonClass } from '#web/parts/controls/button.tsx'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { IconButton } from '#web/parts/controls/icon-button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { SiteProgress } from '#web/publish/site-progress.tsx'
import { usePublishes } from '#web/publish/use-publishes.ts'
import { LazyDialog, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { words } from '#web/words/words.ts'
import { nameOf } from './site-facts.ts'
import styles from './site-head.module.css'
import { SiteState } from './site-state.tsx'
import { SiteTile } from './site-tile.tsx'

const updateDialog = lazyModule(() => import('#web/publish/update-dialog.tsx'))
const qrDialog = lazyModule(() => import('./qr-dialog.tsx'))

interface SiteHeadProps {
  readonly rkey: string
  /** Undefined while it is being loaded. */
  readonly site: Site | undefined
  /** The tab has an action of its own that comes first. */
  readonly isSecondary: boolean
}

/** What a site is called, where it is, and the way to a new version of it. */
export function SiteHead({ rkey, site, isSecondary }: SiteHeadProps) {
  const publish = usePublishes().find(({ siteName }) => siteName === rkey)
  const [open, setOpen] = useState<'update' | 'qr' | null>(null)
  const close = () => setOpen(null)
  const name = site === undefined ? rkey : nameOf(site)
  const address = site === undefined ? null : bestAddress(site)
  return (
    <header className={styles['head']}>
      <SiteTile isLarge name={name} />
      <div className={styles['names']}>
        <div className={styles['title']}>
          <h1 dir="auto">{name}</h1>
          {site !== undefined && <SiteState site={site} />}
        </div>
        {address === null ? (
          <Skeleton />
        ) : (
          <div className={styles['place']}>
            <a className={styles['address']} href={address.href} rel="noopener" target="_blank">
              {address.host}
            </a>
            <CopyButton isSmall text={address.href} what={words.site.address} />
            <IconButton icon={QrCode} label={words.site.qr} onClick={() => setOpen('qr')} />
          </div>
        )}
      </div>
      <div className={styles['buttons']}>
        <Button
          icon={FolderUp}
          look={isSecondary ? 'secondary' : 'primary'}
          onClick={() => setOpen('update')}
        >
          {words.site.update}
        </Button>
        {address !== null && (
          <a
            className={buttonClass('secondary')}
            href={address.href}
            rel="noopener"
            target="_blank"
          >
            <Icon of={ExternalLink} />
            {words.site.open}
          </a>
        )}
      </div>
      {publish !== undefined && (
        <div className={styles['progress']}>
          <SiteProgress publish={publish} />
        </div>
      )}
      {open === 'update' && <LazyDialog of={updateDialog} props={{ onClose: close, site: rkey }} />}
      {open === 'qr' && address !== null && (
        <LazyDialog of={qrDialog} props={{ address, onClose: close }} />
      )}
    </header>
  )
}
