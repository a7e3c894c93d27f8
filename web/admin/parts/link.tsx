import type { ComponentProps, MouseEvent } from 'react'
import { goTo } from '#web/shell/routing/address.ts'

interface LinkProps extends ComponentProps<'a'> {
  readonly href: string
}

/** A link to another of these pages, which appears without loading a document. */
export function Link({ href, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    // These open another tab or window, or save the page.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    goTo(href)
  }
  return <a {...rest} href={href} onClick={follow} />
}
