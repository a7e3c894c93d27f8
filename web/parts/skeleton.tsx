import styles from './skeleton.module.css'

interface SkeletonProps {
  readonly shape?: 'line' | 'title' | 'row' | 'card'
  /** So many below each other. */
  readonly count?: number
}

/** Holds the place of what is being loaded; the part that loads it is `aria-busy`. */
export function Skeleton({ shape = 'line', count = 1 }: SkeletonProps) {
  return (
    <div aria-hidden="true" className={styles['group']}>
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <div className={styles['bone']} data-shape={shape} key={at} />
      ))}
    </div>
  )
}
