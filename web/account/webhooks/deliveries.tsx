import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { Status } from '#web/parts/status.tsx'
import { type Column, Table } from '#web/parts/table.tsx'
import { TimeAgo } from '#web/parts/time-ago.tsx'
import { useAction } from '#web/server/use-action.ts'
import { type Delivery, deliveriesQuery, redeliver } from '#web/server/webhooks.ts'
import { words } from '#web/words/words.ts'

/** The deliveries of a webhook, newest first. */
export function Deliveries({ id, host }: { id: string; host: string }) {
  const { deliveries: texts } = words.webhooks
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery(
    deliveriesQuery(id),
  )
  const { problem, run } = useAction()
  const again = async (delivery: Delivery) => {
    await run(() => redeliver(id, delivery.id))
    await refetch()
  }
  const rows = data?.pages.flatMap(({ deliveries }) => deliveries)
  if (rows === undefined) {
    return error === null ? (
      <Skeleton count={2} shape="row" />
    ) : (
      <Problem>{texts.loadFailed}</Problem>
    )
  }
  if (rows.length === 0) return <p>{texts.none}</p>
  return (
    <>
      <Table
        caption={texts.of(host)}
        columns={columnsOf((delivery) => void again(delivery))}
        keyOf={(delivery) => delivery.id}
        rows={rows}
      />
      {problem !== null && <Problem>{problem}</Problem>}
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} look="secondary" onClick={() => void fetchNextPage()}>
            {texts.older}
          </Button>
        </div>
      )}
    </>
  )
}

function columnsOf(onAgain: (delivery: Delivery) => void): Column<Delivery>[] {
  const { deliveries: texts, events } = words.webhooks
  return [
    {
      name: texts.event,
      cell: ({ event, rkey }) => (rkey === null ? events[event] : `${events[event]} · ${rkey}`),
    },
    { name: texts.when, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    { name: texts.result, cell: (delivery) => <Result delivery={delivery} /> },
    {
      name: texts.actions,
      isUnnamed: true,
      isNumber: true,
      cell: (delivery) =>
        delivery.state !== 'pending' && (
          <Button
            aria-label={texts.againOf(events[delivery.event])}
            look="ghost"
            onClick={() => onAgain(delivery)}
          >
            {texts.again}
          </Button>
        ),
    },
  ]
}

function Result({ delivery }: { delivery: Delivery }) {
  const { delivered, givenUp, retried, waiting } = words.webhooks.deliveries
  const { attempts, state, status } = delivery
  if (state === 'delivered') return <Status state="live">{delivered(status ?? 0)}</Status>
  const why = whyOf(delivery)
  if (state === 'given-up') return <Status state="broken">{`${givenUp}: ${why}`}</Status>
  if (attempts === 0 || why === '') return <Status state="waiting">{waiting}</Status>
  return <Status state="warn">{`${retried(attempts)}: ${why}`}</Status>
}

function whyOf({ failure, status }: Delivery): string {
  const { failures } = words.webhooks.deliveries
  if (failure === null) return ''
  const text = failures[failure]
  return typeof text === 'string' ? text : text(status ?? 0)
}
