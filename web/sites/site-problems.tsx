import { words } from '#web/words/words.ts'
import styles from './site-problems.module.css'

interface SiteProblemsProps {
  readonly problems: readonly string[]
  /** Whether they are shown without being asked for. */
  readonly isOpen?: boolean
}

/** Why a version was refused, or what its owner should mend in its rules; nothing where all is well. */
export function SiteProblems({ problems, isOpen = false }: SiteProblemsProps) {
  if (problems.length === 0) return null
  return (
    <details className={styles['problems']} open={isOpen}>
      <summary>{words.site.problemsOf(problems.length)}</summary>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </details>
  )
}
