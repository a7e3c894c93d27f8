import { words } from '#web/words/words.ts'
import { inLocalTime, problemPlace } from './problem-place.ts'
import styles from './problems.module.css'

/** What to mend, each with the file and the line that it is about. */
export function Problems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null
  return (
    <ul className={styles['problems']}>
      {problems.map((problem) => {
        const { place, text } = problemPlace(problem)
        return (
          <li key={problem}>
            {place !== null && <code>{place}</code>}
            <span>{inLocalTime(text, words.locale)}</span>
          </li>
        )
      })}
    </ul>
  )
}
