import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Icon } from '#web/parts/icon.tsx'
import { words } from '#web/words/words.ts'
import styles from './connection.module.css'

/** A strip at the lower edge while the browser is offline. It covers nothing and moves nothing. */
export function OfflineStrip() {
  const isOnline = useOnline()
  return (
    <div role="status">
      {!isOnline && (
        <p className={styles['strip']}>
          <Icon of={WifiOff} />
          {words.shell.offline}
        </p>
      )}
    </div>
  )
}

/** Whether the browser has a network. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
