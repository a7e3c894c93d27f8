import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Section } from '#web/account/section.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { OnceShown } from '#web/parts/once-shown.tsx'
import { webhooksQuery } from '#web/server/webhooks.ts'
import { words } from '#web/words/words.ts'
import '#web/words/own-webhooks.ts'
import { AddWebhook } from './add-webhook.tsx'
import { ForeignWebhooks } from './foreign-webhooks.tsx'
import { WebhookRow } from './webhook-row.tsx'
import styles from './webhooks.module.css'

/** Which programs receive the events of the account's sites. */
export default function Webhooks() {
  const { webhooks: texts } = words
  const { data, error } = useQuery(webhooksQuery)
  const [shown, setShown] = useState<{ host: string; secret: string } | null>(null)
  return (
    <Section title={texts.title}>
      <p className={styles['hint']}>{texts.intro}</p>
      {data === undefined && error !== null && (
        <Notice title={texts.loadFailed} tone="warn">
          <p>{error.message}</p>
        </Notice>
      )}
      {data?.length === 0 && <p>{texts.none}</p>}
      {data?.map((webhook) => (
        <WebhookRow
          key={webhook.id}
          onSecret={(host, secret) => setShown({ host, secret })}
          webhook={webhook}
        />
      ))}
      <ForeignWebhooks onSecret={(host, secret) => setShown({ host, secret })} />
      {shown !== null && (
        <OnceShown secret={shown.secret} title={texts.secretOf(shown.host)} what={texts.secret} />
      )}
      <AddWebhook onSecret={(host, secret) => setShown({ host, secret })} />
    </Section>
  )
}
