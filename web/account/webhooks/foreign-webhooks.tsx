import { useQuery } from '@tanstack/react-query'
import { Notice } from '#web/parts/notice.tsx'
import { foreignWebhooksQuery } from '#web/server/webhooks.ts'
import { words } from '#web/words/words.ts'
import { ForeignWebhookRow } from './foreign-webhook-row.tsx'
import styles from './webhooks.module.css'

interface ForeignWebhooksProps {
  readonly onSecret: (host: string, secret: string) => void
}

/** The account's webhooks of other networks; nothing where there are none. */
export function ForeignWebhooks({ onSecret }: ForeignWebhooksProps) {
  const { foreign } = words.webhooks
  const { data, error } = useQuery(foreignWebhooksQuery)
  if (data === undefined) {
    return error === null ? null : (
      <Notice title={foreign.loadFailed} tone="warn">
        <p>{error.message}</p>
      </Notice>
    )
  }
  const networks = [...new Set(data.webhooks.map(({ network }) => network))]
  return networks.map((network) => (
    <div className={styles['foreign']} key={network}>
      <h3>{foreign.title(network)}</h3>
      <p className={styles['hint']}>{foreign.text}</p>
      {data.webhooks
        .filter((webhook) => webhook.network === network)
        .map((webhook) => (
          <ForeignWebhookRow key={webhook.key} onSecret={onSecret} webhook={webhook} />
        ))}
      {data.more && <p className={styles['hint']}>{foreign.more}</p>}
    </div>
  ))
}
