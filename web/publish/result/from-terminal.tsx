import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { userQuery } from '#web/server/queries.ts'
import { words } from '#web/words/words.ts'
import styles from './from-terminal.module.css'

/** How the next version of a site is published with the command line, which needs no service in between. */
export function FromTerminal({ site }: { readonly site: string }) {
  const said = words.publish.result.terminal
  const { data: user } = useQuery(userQuery)
  const steps = [
    { text: said.signIn, command: `sitehost login ${user?.handle ?? ''}`.trimEnd() },
    { text: said.publish, command: `sitehost deploy --site ${site}` },
  ]
  return (
    <details className={styles['terminal']}>
      <summary>{said.title}</summary>
      <ol>
        {steps.map(({ text, command }) => (
          <li key={command}>
            <p>{text}</p>
            <p className={styles['command']}>
              <code>{command}</code>
              <CopyButton isSmall text={command} what={said.command} />
            </p>
          </li>
        ))}
      </ol>
      <p>
        <a href="/llms.txt">{said.more}</a>
      </p>
    </details>
  )
}
