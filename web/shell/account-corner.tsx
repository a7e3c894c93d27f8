import { useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { readUser, signOut } from '#web/server/api.ts'
import { useLoaded } from '#web/server/use-loaded.ts'
import styles from './account-corner.module.css'

const pages = [
  { path: '/editor', name: 'Sites' },
  { path: '/names', name: 'Names' },
  { path: '/account', name: 'Account' },
]

/** Where to go, who is signed in, and the way out. */
export function AccountCorner() {
  const [user] = useLoaded(readUser)
  const [label, setLabel] = useState('Sign out')
  const leave = async () => {
    try {
      await signOut()
      location.assign('/')
    } catch {
      setLabel('Sign out: try again')
    }
  }
  return (
    <div className={styles['corner']}>
      <nav aria-label="Pages" className={styles['pages']}>
        {pages.map(({ path, name }) => (
          <a aria-current={location.pathname === path ? 'page' : undefined} href={path} key={path}>
            {name}
          </a>
        ))}
      </nav>
      {user.state === 'loaded' && <span className={styles['handle']}>@{user.value.handle}</span>}
      <Button look="quiet" onClick={() => void leave()}>
        {label}
      </Button>
    </div>
  )
}
