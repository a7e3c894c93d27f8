import { useId } from 'react'
import { words } from '#web/words/words.ts'
import '#web/words/own-ci.ts'
import { DeployTokens } from './deploy-tokens.tsx'
import styles from './from-ci.module.css'
import { Publishers } from './publishers.tsx'

/** Which CI jobs and programs may deploy a site. */
export default function FromCi({ rkey }: { rkey: string }) {
  const id = useId()
  const { ci } = words
  return (
    <section aria-labelledby={id} className={styles['part']}>
      <div className={styles['list']}>
        <h2 id={id}>{ci.title}</h2>
        <p className={styles['hint']}>{ci.intro}</p>
      </div>
      <Publishers rkey={rkey} />
      <DeployTokens rkey={rkey} />
    </section>
  )
}
