import { RefreshCw } from 'lucide-react'
import { Button } from '#web/parts/controls/button.tsx'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Status } from '#web/parts/status.tsx'
import type { CustomDomain } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import '#web/words/own-dns.ts'
import styles from './dns-card.module.css'
import { relativeName } from './relative-name.ts'
import { useVerification } from './use-verification.ts'

/** What to set at the provider of a domain, ticked as it is found. */
export function DnsCard({ custom }: { custom: CustomDomain }) {
  const { dns, domain, found, lost, warning, zone } = custom
  const texts = words.dns
  const { isChecking, problem, check } = useVerification(custom)
  const { cname, txt } = dns
  // What the last look found is in the warning, too, next to what else there is to do.
  const isWarned = problem !== null && warning?.includes(problem) === true
  return (
    <section aria-labelledby={`dns-${custom.id}`} className={styles['card']}>
      <h2 id={`dns-${custom.id}`}>{lost ? texts.titleOfLost(domain) : texts.title(domain)}</h2>
      <p className={styles['soft']}>{texts.intro}</p>
      <Row
        isFound={found.txt}
        name={relativeName(txt.name, zone)}
        purpose={texts.ownership}
        type="TXT"
        value={txt.value}
        whole={txt.name}
      />
      <Row
        isFound={found.cname}
        name={relativeName(cname.name, zone)}
        purpose={texts.pointing}
        type="CNAME"
        value={cname.target}
        whole={cname.name}
      />
      {cname.name === zone && <p className={styles['soft']}>{texts.apex}</p>}
      {problem !== null && !isWarned && <Problem>{problem}</Problem>}
      {warning !== null && <Notice tone={lost ? 'danger' : 'warn'}>{warning}</Notice>}
      <div className={styles['foot']}>
        <Button
          aria-label={isChecking ? undefined : texts.checkOf(domain)}
          icon={RefreshCw}
          isBusy={isChecking}
          look="secondary"
          onClick={() => void check()}
        >
          {isChecking ? texts.checking : texts.checkNow}
        </Button>
        <details className={styles['providers']}>
          <summary>{texts.providersTitle}</summary>
          <dl>
            {words.dns.providers.map(({ name, text }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </section>
  )
}

interface RowProps {
  readonly type: 'TXT' | 'CNAME'
  readonly name: string
  readonly whole: string
  readonly value: string
  readonly purpose: string
  readonly isFound: boolean
}

function Row({ type, name, whole, value, purpose, isFound }: RowProps) {
  const texts = words.dns
  return (
    <div className={styles['record']}>
      <p className={styles['type']}>
        <strong>{type}</strong> <span className={styles['soft']}>{purpose}</span>
        <Status state={isFound ? 'live' : 'waiting'}>{isFound ? texts.done : texts.missing}</Status>
      </p>
      <dl className={styles['pieces']}>
        <dt>{texts.name}</dt>
        <dd>
          <span className={styles['copied']}>
            <code>{name}</code>
            <CopyButton isSmall text={name} what={texts.copyName(type)} />
          </span>
          {name !== whole && <span className={styles['whole']}>{texts.whole(whole)}</span>}
        </dd>
        <dt>{texts.value}</dt>
        <dd>
          <span className={styles['copied']}>
            <code>{value}</code>
            <CopyButton isSmall text={value} what={texts.copyValue(type)} />
          </span>
        </dd>
      </dl>
    </div>
  )
}
