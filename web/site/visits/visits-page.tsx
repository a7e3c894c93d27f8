import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesColumn } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { Select } from '#web/parts/controls/select.tsx'
import { Empty } from '#web/parts/empty.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import type { PageProps } from '#web/shell/routing/router.ts'
import { words } from '#web/words/words.ts'
import '#web/words/own-visits.ts'
import { VisitTables } from './visit-tables.tsx'
import styles from './visits-page.module.css'
import { visitsQuery } from './visits-query.ts'

const spans = [1, 7, 30, 90]

/** `/sites/:rkey/visits`: how often a site was visited, and from where. */
export default function VisitsPage({ params: { rkey = '' } }: PageProps) {
  const [days, setDays] = useState(30)
  const { data, error, isPending, refetch } = useQuery(visitsQuery(rkey, days))
  const texts = words.visits
  return (
    <Page title={`${texts.title} · ${rkey}`}>
      <section aria-busy={isPending} className={styles['visits']}>
        <div className={styles['head']}>
          <p className={styles['intro']}>{texts.intro}</p>
          <Select
            choices={spans.map((span) => ({ value: String(span), name: texts.last(span) }))}
            label={texts.days}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
            value={String(days)}
          />
        </div>
        {isPending && <Skeleton count={4} shape="row" />}
        {error !== null && data === undefined && (
          <Notice
            action={
              <Button look="secondary" onClick={() => void refetch()}>
                {words.shell.tryAgain}
              </Button>
            }
            tone="danger"
          >
            <p>{error.message}</p>
          </Notice>
        )}
        {data?.days.length === 0 && (
          <Empty icon={ChartNoAxesColumn} title={texts.empty.title}>
            <p>{texts.empty.text}</p>
          </Empty>
        )}
        {data !== undefined && data.days.length > 0 && <VisitTables visits={data} />}
      </section>
    </Page>
  )
}
