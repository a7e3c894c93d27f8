import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { webhookEvents } from '#site/webhook-event.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Confirm } from '#web/parts/overlays/confirm.tsx'
import { Status } from '#web/parts/status.tsx'
import { keys } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import {
  changeWebhook,
  removeWebhook,
  replaceSecret,
  testWebhook,
  type Webhook,
  webhooksQuery,
} from '#web/server/webhooks.ts'
import { words } from '#web/words/words.ts'
import { Deliveries } from './deliveries.tsx'
import styles from './webhooks.module.css'

interface WebhookRowProps {
  readonly webhook: Webhook
  readonly onSecret: (host: string, secret: string) => void
}

/** A webhook, what can be done with it, and its deliveries. */
export function WebhookRow({ webhook, onSecret }: WebhookRowProps) {
  const client = useQueryClient()
  const { webhooks: texts } = words
  const { isBusy, problem, run } = useAction()
  const [isOpen, setOpen] = useState(false)
  const { enabled, id, skipped } = webhook
  const host = hostOf(webhook)
  const act = async (work: () => Promise<unknown>) => {
    await run(work)
    await client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
  }
  const test = async () => {
    await act(() => testWebhook(id))
    setOpen(true)
  }
  const remove = async () => {
    await act(() => removeWebhook(id))
    await client.invalidateQueries({ queryKey: keys.foreignWebhooks })
  }
  const replace = () => act(async () => onSecret(host, (await replaceSecret(id)).secret))
  return (
    <div className={styles['row']}>
      <div className={styles['facts']}>
        <strong>{webhook.url}</strong>
        <span className={styles['hint']}>
          {webhook.rkey ?? texts.allSites} · {eventsText(webhook.events)}
        </span>
        <StateOf webhook={webhook} />
        {skipped > 0 && <span className={styles['hint']}>{texts.skipped(skipped)}</span>}
      </div>
      <div className={styles['actions']}>
        <Button
          aria-label={texts.testOf(host)}
          isBusy={isBusy}
          look="secondary"
          onClick={() => void test()}
        >
          {texts.test}
        </Button>
        <Button
          aria-expanded={isOpen}
          aria-label={texts.deliveries.of(host)}
          look="ghost"
          onClick={() => setOpen(!isOpen)}
        >
          {texts.deliveries.show}
        </Button>
        <Button
          aria-label={enabled ? texts.turnOffOf(host) : texts.turnOnOf(host)}
          isBusy={isBusy}
          look="ghost"
          onClick={() => void act(() => changeWebhook(id, { enabled: !enabled }))}
        >
          {enabled ? texts.turnOff : texts.turnOn}
        </Button>
        <Ask isBusy={isBusy} of={texts.replace} host={host} onYes={() => void replace()} />
        <Ask isBusy={isBusy} of={texts.remove} host={host} onYes={() => void remove()} />
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
      {isOpen && <Deliveries host={host} id={id} />}
    </div>
  )
}

interface AskProps {
  readonly of: (typeof words)['webhooks']['remove']
  readonly host: string
  readonly isBusy: boolean
  readonly onYes: () => void
}

const Ask = ({ of, host, isBusy, onYes }: AskProps) => (
  <Confirm
    isBusy={isBusy}
    label={of.label}
    look="ghost"
    onConfirm={onYes}
    title={of.title(host)}
    yes={of.yes}
  >
    <p>{of.text}</p>
  </Confirm>
)

function StateOf({ webhook: { disabledBy, failingSince } }: { webhook: Webhook }) {
  const { failing, off, on } = words.webhooks
  if (disabledBy === 'owner') return <Status state="resting">{off.owner}</Status>
  if (disabledBy !== null) return <Status state="broken">{off[disabledBy]}</Status>
  if (failingSince !== null) return <Status state="warn">{failing}</Status>
  return <Status state="live">{on}</Status>
}

export function eventsText(events: Webhook['events']): string {
  const { allEvents, events: names, eventsOf } = words.webhooks
  const [first] = events
  if (events.length === webhookEvents.length) return allEvents
  return events.length === 1 && first !== undefined ? names[first] : eventsOf(events.length)
}

const hostOf = ({ url }: Webhook): string => new URL(url).host
