import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import type { Site } from '#api/contract/client.ts'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { TimeAgo } from '#web/parts/time-ago.tsx'
import { userQuery } from '#web/server/queries.ts'
import { words } from '#web/words/words.ts'
import { Card } from './card.tsx'
import styles from './proof.module.css'

/** Where the site comes from, for whoever wants to check it without us. */
export function Proof({ site: { cid, uri, url, verifiedAt } }: { site: Site }) {
  const { proof } = words.site
  const { data: user } = useQuery(userQuery)
  return (
    <Card title={proof.title}>
      <p className={styles['seal']} data-verified={verifiedAt !== null || undefined}>
        <Icon of={ShieldCheck} size={20} />
        <span>
          {verifiedAt === null ? proof.none : proof.verified}
          {verifiedAt !== null && (
            <span className={styles['when']}>
              <TimeAgo at={verifiedAt} />
            </span>
          )}
        </span>
      </p>
      <dl className={styles['facts']}>
        <dt>{proof.signer}</dt>
        <dd>{user?.handle ?? uri.split('/')[2]}</dd>
        <dt>{proof.record}</dt>
        <dd>
          <code>{uri}</code>
          <CopyButton isSmall text={uri} what={proof.recordAddress} />
        </dd>
        {cid !== null && (
          <>
            <dt>{proof.cid}</dt>
            <dd>
              <code>{cid}</code>
              <CopyButton isSmall text={cid} what={proof.cid} />
            </dd>
            <dt>{proof.command}</dt>
            <dd>
              <code>{`sitehost verify ${url}`}</code>
              <CopyButton isSmall text={`sitehost verify ${url}`} what={proof.commandName} />
            </dd>
          </>
        )}
      </dl>
      <p className={styles['text']}>{proof.text}</p>
    </Card>
  )
}
