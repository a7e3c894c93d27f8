import { useQueryClient } from '@tanstack/react-query'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Status } from '#web/parts/status.tsx'
import { keys } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { bringWebhookOver, type ForeignWebhook } from '#web/server/webhooks.ts'
import { words } from '#web/words/words.ts'
import { eventsText } from './webhook-row.tsx'
import styles from './webhooks.module.css'

interface ForeignWebhookRowProps {
  readonly webhook: ForeignWebhook
  readonly onSecret: (host: string, secret: string) => void
}

/** A webhook of another network: what one of ours would be, what it would not do, and the button that adds it. */
export function ForeignWebhookRow({ webhook, onSecret }: ForeignWebhookRowProps) {
  const client = useQueryClient()
  const { allSites, foreign, off, on } = words.webhooks
  const { isBusy, problem, run } = useAction()
  const { enabled, events, key, notes, rkey, url } = webhook
  const host = (url !== null && URL.canParse(url) && new URL(url).host) || key
  const bring = async () => {
    await run(async () => onSecret(host, (await bringWebhookOver(key)).secret))
    await Promise.all([
      client.invalidateQueries({ queryKey: keys.webhooks }),
      client.invalidateQueries({ queryKey: keys.foreignWebhooks }),
    ])
  }
  return (
    <div className={styles['row']}>
      <div className={styles['facts']}>
        <strong>{url ?? foreign.noAddress}</strong>
        {webhook.problem === null ? (
          <>
            <span className={styles['hint']}>
              {rkey ?? allSites} · {eventsText(events)}
            </span>
            <Status state={enabled ? 'live' : 'resting'}>{enabled ? on : off.owner}</Status>
            {notes.map((note) => (
              <span className={styles['hint']} key={note}>
                {foreign.notes[note]}
              </span>
            ))}
          </>
        ) : (
          <Status state="resting">{foreign.problems[webhook.problem]}</Status>
        )}
      </div>
      {webhook.problem === null && (
        <div className={styles['actions']}>
          {webhook.webhook === null ? (
            <Button
              aria-label={foreign.bringOf(host)}
              isBusy={isBusy}
              look="secondary"
              onClick={() => void bring()}
            >
              {foreign.bring}
            </Button>
          ) : (
            <Status state="live">{foreign.here}</Status>
          )}
        </div>
      )}
      {problem !== null && <Problem>{problem}</Problem>}
    </div>
  )
}
