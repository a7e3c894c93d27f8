import { instance } from '#web/server/instance.ts'
import styles from './mark.module.css'

/** The operator's logo, else ours. */
export function Mark() {
  if (instance.logoPath !== null) {
    return <img alt="" className={styles['logo']} src={instance.logoPath} />
  }
  return (
    <svg aria-hidden="true" className={styles['mark']} viewBox="0 0 32 32">
      <rect height="32" rx="8" width="32" />
      <path d="M7 15.5 16 8l9 7.5V24a1 1 0 0 1-1 1h-5v-6h-6v6H8a1 1 0 0 1-1-1z" />
    </svg>
  )
}
