import type { ComponentProps, MouseEvent } from 'react'
import { goTo } from './address.ts'
import { useRouter } from './router.ts'

interface LinkProps extends ComponentProps<'a'> {
  /** A path of these pages, with its query. */
  readonly href: string
}

/** A link to another of these pages, which appears without loading a document; hovered, it is loaded ahead. */
export function Link({ href, onClick, ...rest }: LinkProps) {
  const router = useRouter()
  const warm = () => void router.warm(new URL(href, location.href).pathname)
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // These open another tab or window, or save the page.
    const isElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (isElsewhere || event.defaultPrevented) return
    event.preventDefault()
    goTo(href)
  }
  return <a {...rest} href={href} onClick={follow} onFocus={warm} onPointerEnter={warm} />
}
