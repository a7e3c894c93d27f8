import { useEffect, useState } from 'react'
import { publishSession } from '#web/publish/publish-session.ts'
import { updateSite } from '#web/publish/update-site.ts'
import { goTo, useAddress } from '#web/shell/routing/address.ts'
import { matchPattern } from '#web/shell/routing/match-route.ts'
import { words } from '#web/words/words.ts'
import { setDropTarget, siteAt, useDropTarget } from './drop-target.ts'
import { toast } from './toasts.ts'
import styles from './window-drop.module.css'

/**
 * Takes what is dropped anywhere on a page: for the site whose row or page it is, else as a new site. Pages with a place
 * for it show it there.
 */
export function WindowDrop() {
  const { pathname } = useAddress()
  const pageSite = siteOf(pathname)
  const site = useDropTarget() ?? pageSite
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // Else the browser would open the file, and be gone from the page.
      event.preventDefault()
      setOver(true)
      setDropTarget(siteAt(event.target))
    }
    const end = () => {
      setOver(false)
      setDropTarget(null)
    }
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && end()
    const drop = (event: DragEvent) => {
      end()
      if (event.defaultPrevented || !hasFiles(event)) return
      event.preventDefault()
      // They are gone after the event.
      const entries = Array.from(event.dataTransfer?.items ?? [], (item) =>
        item.webkitGetAsEntry(),
      ).filter((entry) => entry !== null)
      if (entries.length > 0) void take(entries, siteAt(event.target) ?? pageSite)
    }
    const gone = new AbortController()
    const { signal } = gone
    document.addEventListener('dragover', over, { signal })
    document.addEventListener('dragleave', leave, { signal })
    document.addEventListener('drop', drop, { signal })
    return () => gone.abort()
  }, [pageSite])
  if (!isOver) return null
  const { zone } = words.publish
  return (
    <div aria-hidden="true" className={styles['frame']}>
      <span className={styles['label']}>{site === null ? zone.asNew : zone.onto(site)}</span>
    </div>
  )
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') === true

const placesWithZone = ['/', '/onboarding']

function siteOf(path: string): string | null {
  const [, first, rkey = ''] = path.split('/')
  return first === 'sites' ? (matchPattern('/:rkey', `/${rkey}`)?.['rkey'] ?? null) : null
}

async function take(entries: readonly FileSystemEntry[], site: string | null): Promise<void> {
  try {
    const takeEntries = () => publishSession.takeEntries(entries)
    if (site !== null) return await updateSite(site, takeEntries)
    if (!placesWithZone.includes(location.pathname)) goTo('/onboarding')
    await takeEntries()
  } catch {
    toast(words.publish.unreadable, { tone: 'danger' })
  }
}
