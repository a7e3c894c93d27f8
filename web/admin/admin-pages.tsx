import { useEffect } from 'react'
import { useAddress } from '#web/shell/routing/address.ts'
import { readSession, useAdminSession } from './admin-session.ts'
import { pageAt } from './page-at.tsx'
import { Frame } from './parts/frame.tsx'
import { SignInPage } from './sign-in-page.tsx'

/** The page of this address, or the sign-in in its place. */
export function AdminPages() {
  const session = useAdminSession()
  const { pathname } = useAddress()
  useEffect(() => void readSession(), [])
  switch (session.state) {
    case 'unknown':
      return null
    case 'signed-out':
      return <SignInPage notice={session.notice} />
    case 'signed-in':
      return (
        <Frame path={pathname} username={session.username}>
          {pageAt(pathname)}
        </Frame>
      )
  }
}
