/** Of `base.css`. */
const name = 'site-name'

/**
 * Runs `update`, which brings another page. Between a list and the page of one of its rows, the row's name becomes the
 * page's heading and the other way round, where the browser can do that.
 */
export function withViewTransition(update: () => void, from: URL, to: URL): void {
  const before = rowTo(to) ?? (isBelow(from) ? heading() : null)
  if (before === null || document.startViewTransition === undefined) {
    update()
    return
  }
  before.style.setProperty('view-transition-name', name)
  let after: HTMLElement | null = null
  const transition = document.startViewTransition(() => {
    before.style.removeProperty('view-transition-name')
    update()
    after = isBelow(to) ? heading() : rowTo(from)
    after?.style.setProperty('view-transition-name', name)
  })
  const end = () => after?.style.removeProperty('view-transition-name')
  // It is skipped where the window is hidden or the next one begins; the update has run then, too.
  transition.ready.catch(() => undefined)
  transition.finished.then(end, end)
}

/** Whether this is the first page of a site, to which a row leads. */
const isBelow = ({ pathname }: URL): boolean => /^\/sites\/[^/]+$/.test(pathname)

const heading = () => document.querySelector<HTMLElement>('#content h1')

function rowTo({ pathname }: URL): HTMLElement | null {
  const links = document.querySelectorAll<HTMLElement>('#content li a')
  return (
    [...links].find((link) => link.getAttribute('href') === pathname && !link.closest('nav')) ??
    null
  )
}
