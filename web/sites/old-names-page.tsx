import { useEffect } from 'react'
import { goTo } from '#web/shell/routing/address.ts'

/** `/names`, which people may have kept: a site's addresses are on its own page now. */
export default function OldNamesPage() {
  useEffect(() => goTo('/editor', { replace: true }), [])
  return null
}
