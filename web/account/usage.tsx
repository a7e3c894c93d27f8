import { useQuery } from '@tanstack/react-query'
import { formatBytes } from '#web/parts/bytes.ts'
import { Notice } from '#web/parts/notice.tsx'
import { usageQuery } from '#web/server/queries.ts'
import { words } from '#web/words/words.ts'
import styles from './account-page.module.css'
import { Section } from './section.tsx'

/** What the account uses of what it may. */
export function Usage() {
  const { data, error } = useQuery(usageQuery)
  const { usage } = words.account
  const count = (n: number): string => n.toLocaleString(words.locale)
  return (
    <Section title={usage.title}>
      {data === undefined && error !== null && (
        <Notice title={usage.failed} tone="warn">
          <p>{error.message}</p>
        </Notice>
      )}
      {(data !== undefined || error === null) && (
        <ul aria-busy={data === undefined} className={styles['meters']}>
          <Meter amount={data?.sites} name={usage.sites} text={count} />
          <Meter amount={data?.bytes} name={usage.bytes} text={formatBytes} />
          <Meter amount={data?.uploads} name={usage.uploads} text={count} />
          <Meter amount={data?.today.bytes} name={usage.traffic} text={formatBytes} />
        </ul>
      )}
    </Section>
  )
}

interface MeterProps {
  readonly name: string
  /** Undefined until it is known. */
  readonly amount: { readonly used: number; readonly max: number | null } | undefined
  readonly text: (amount: number) => string
}

/** From here on it is worth a colour. */
const nearlyAll = 0.9

/** As high before the amount is known as after, so that nothing moves below it. */
function Meter({ name, amount, text }: MeterProps) {
  return (
    <li className={styles['meter']}>
      <span>{name}</span>
      {amount === undefined ? (
        <>
          <span className={styles['amount']}>{'\u00a0'}</span>
          <span className={styles['unknownBar']} />
        </>
      ) : (
        <Amount {...amount} name={name} text={text} />
      )}
    </li>
  )
}

interface AmountProps {
  readonly name: string
  readonly used: number
  readonly max: number | null
  readonly text: (amount: number) => string
}

function Amount({ name, used, max, text }: AmountProps) {
  const { usage } = words.account
  return (
    <>
      <span className={styles['amount']}>
        {max === null ? usage.unlimited(text(used)) : usage.of(text(used), text(max))}
      </span>
      {max !== null && (
        <progress
          aria-label={name}
          data-nearly={used >= nearlyAll * max || undefined}
          max={Math.max(max, 1)}
          value={Math.min(used, max)}
        />
      )}
    </>
  )
}
