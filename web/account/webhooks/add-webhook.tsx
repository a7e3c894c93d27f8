import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type WebhookEvent, webhookEvents } from '#site/webhook-event.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Choice } from '#web/parts/controls/choice.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Select } from '#web/parts/controls/select.tsx'
import { sitesQuery } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { addWebhook, webhooksQuery } from '#web/server/webhooks.ts'
import { words } from '#web/words/words.ts'
import styles from './webhooks.module.css'

/** What most people want to know. */
const chosenFirst: readonly WebhookEvent[] = ['site.published', 'site.refused', 'publish.failed']

/** The form of a new webhook, whose secret is shown once. */
export function AddWebhook({ onSecret }: { onSecret: (host: string, secret: string) => void }) {
  const client = useQueryClient()
  const { webhooks: texts } = words
  const { data: sites } = useQuery(sitesQuery)
  const { isBusy, problem, run, setProblem } = useAction()
  const [url, setUrl] = useState('')
  const [rkey, setRkey] = useState('')
  const [events, setEvents] = useState(chosenFirst)
  const add = async (event: FormEvent) => {
    event.preventDefault()
    if (url.trim() === '') return setProblem(texts.urlMissing)
    if (events.length === 0) return setProblem(texts.whatMissing)
    const asked = { url: url.trim(), rkey: rkey || null, events: [...events] }
    const isAdded = await run(async () => {
      const { secret, webhook } = await addWebhook(asked)
      onSecret(new URL(webhook.url).host, secret)
    })
    if (isAdded) setUrl('')
    await client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
  }
  const choose = (event: WebhookEvent, isChosen: boolean) =>
    setEvents(webhookEvents.filter((each) => (each === event ? isChosen : events.includes(each))))
  return (
    <form
      aria-label={texts.add}
      className={styles['form']}
      noValidate
      onSubmit={(event) => void add(event)}
    >
      <div className={styles['fields']}>
        <TextField
          autoComplete="off"
          hint={texts.urlHint}
          inputMode="url"
          label={texts.url}
          onChange={({ target }) => {
            setUrl(target.value)
            setProblem(null)
          }}
          value={url}
        />
        <Select
          choices={(sites ?? []).map((site) => ({ value: site.rkey, name: site.displayName }))}
          label={texts.site}
          none={texts.allSites}
          onChange={({ target }) => setRkey(target.value)}
          value={rkey}
        />
      </div>
      <fieldset>
        <legend>{texts.what}</legend>
        <div className={styles['events']}>
          {webhookEvents.map((event) => (
            <Choice
              checked={events.includes(event)}
              key={event}
              label={texts.events[event]}
              onChange={({ target }) => choose(event, target.checked)}
              type="checkbox"
            />
          ))}
        </div>
      </fieldset>
      {problem !== null && <Problem>{problem}</Problem>}
      <div>
        <Button isBusy={isBusy} look="secondary" type="submit">
          {texts.add}
        </Button>
      </div>
    </form>
  )
}
