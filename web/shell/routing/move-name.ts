/**
 * Runs `update`, which brings another page. Between a list and the page of one of its rows, the row's name becomes the
 * page's heading and the other way round. Not by `document.startViewTransition`: that takes pictures of both pages first, which
 * took 100 ms of the 250 until the next page was seen with a processor four times slower.
 */
export function withMovingName(update: () => void, from: URL, to: URL): void {
  const start = (rowTo(to) ?? (isBelow(from) ? heading() : null))?.getBoundingClientRect()
  update()
  const end = start && (isBelow(to) ? heading() : rowTo(from))
  if (!start || !end || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const { height, left, top } = end.getBoundingClientRect()
  const scale = start.height / height
  const move = `translate(${start.left - left}px, ${start.top - top}px) scale(${scale})`
  const moving = { transform: [move, 'none'], transformOrigin: ['0 0', '0 0'] }
  end.animate(moving, { duration: movingMs, easing: 'cubic-bezier(0.2, 0.8, 0.2, 1)' })
}

/** As `--part` in `tokens.css`. */
const movingMs = 280

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
