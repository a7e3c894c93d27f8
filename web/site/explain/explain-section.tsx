import { useId } from 'react'
import { LazyPart, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { words } from '#web/words/words.ts'
import styles from './explain-address.module.css'

/** Not in the way of what the pages show first. */
const explainAddress = lazyModule(() => import('./explain-address.tsx'))

/** Why visitors get at an address of the site what they get. */
export function ExplainSection({ rkey }: { readonly rkey: string }) {
  const { intro, title } = words.site.explain
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className={styles['explain']}>
      <h2 id={titleId}>{title}</h2>
      <p className={styles['intro']}>{intro}</p>
      <LazyPart
        fallback={<div className={styles['place']} />}
        of={explainAddress}
        props={{ rkey }}
      />
    </section>
  )
}
