import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { instance } from '#web/server/instance.ts'
import { words } from '#web/words/words.ts'
import styles from './error-details.module.css'
import { titleOf } from './page-errors.ts'

/** The name of an error that nobody foresaw, and a button that copies what helps to find its cause. */
export function ErrorDetails({ error }: { error: unknown }) {
  return (
    <div className={styles['details']}>
      <code>{titleOf(error)}</code>
      <CopyButton text={detailsOf(error)} what={words.shell.crashed.details} />
    </div>
  )
}

/** What helps to find the error's cause, for a person to pass on. The address has no query, which can have secrets. */
function detailsOf(error: unknown): string {
  const title = titleOf(error)
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  // Chromium's stack begins with the title.
  const trace = stack.startsWith(title) ? stack : `${title}\n${stack}`
  const { pathname } = location
  return [trace, pathname, navigator.userAgent, `Sitehost ${instance.version}`].join('\n')
}
