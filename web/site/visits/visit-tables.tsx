import { formatBytes } from '#web/parts/bytes.ts'
import { type Column, Table } from '#web/parts/table.tsx'
import { Card } from '#web/site/overview/card.tsx'
import { words } from '#web/words/words.ts'
import styles from './visits-page.module.css'
import type { Visits } from './visits-query.ts'

const number = (count: number): string => count.toLocaleString(words.locale)

/** All that is known of a site's visits, of which there are some. */
export function VisitTables({ visits }: { visits: Visits }) {
  const { countries, days, pages, referrers, statuses } = visits
  const texts = words.visits
  const total = (of: (day: Visits['days'][number]) => number): number =>
    days.reduce((sum, day) => sum + of(day), 0)
  const views: Column<{ readonly views: number }> = {
    name: texts.views,
    isNumber: true,
    cell: ({ views }) => number(views),
  }
  const visitors = visitorsOfDay(days)
  return (
    <>
      <p>
        {visitors !== null && `${texts.aboutVisitors(visitors, days.length === 1)} `}
        {texts.total(
          total(({ pageViews }) => pageViews),
          total(({ requests }) => requests),
          formatBytes(total(({ bytes }) => bytes)),
        )}
      </p>
      <div className={styles['columns']}>
        {pages.length > 0 && (
          <Card title={texts.pages}>
            <Table
              caption={texts.pages}
              columns={[{ name: texts.page, cell: ({ path }) => path ?? texts.otherPages }, views]}
              keyOf={({ path }) => path ?? ''}
              rows={pages}
            />
          </Card>
        )}
        {referrers.length > 0 && (
          <Card title={texts.referrers}>
            <Table
              caption={texts.referrers}
              columns={[{ name: texts.host, cell: ({ host }) => host ?? texts.otherHosts }, views]}
              keyOf={({ host }) => host ?? ''}
              rows={referrers}
            />
          </Card>
        )}
        {countries.length > 0 && (
          <Card title={texts.countries}>
            <Table
              caption={texts.countries}
              columns={[
                { name: texts.country, cell: ({ country }) => countryName(country) },
                views,
              ]}
              keyOf={({ country }) => country ?? ''}
              rows={countries}
            />
          </Card>
        )}
        <Card title={texts.statuses}>
          <Table
            caption={texts.statuses}
            columns={[
              { name: texts.status, cell: ({ status }) => texts.statusNames[status] ?? status },
              { name: texts.answers, isNumber: true, cell: ({ count }) => number(count) },
            ]}
            keyOf={({ status }) => status}
            rows={statuses}
          />
        </Card>
      </div>
      <Card title={texts.byDay}>
        <Table
          caption={texts.byDay}
          columns={[
            { name: texts.day, cell: ({ day }) => <time dateTime={day}>{day}</time> },
            { name: texts.visitors, isNumber: true, cell: ({ visitors }) => number(visitors) },
            { name: texts.views, isNumber: true, cell: ({ pageViews }) => number(pageViews) },
            { name: texts.requests, isNumber: true, cell: ({ requests }) => number(requests) },
            { name: texts.sent, isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
            { name: texts.refused, isNumber: true, cell: ({ refused }) => number(refused) },
          ]}
          keyOf={({ day }) => day}
          rows={days.toReversed()}
        />
      </Card>
    </>
  )
}

/** On average, of the days on which they were counted; null: on none. */
function visitorsOfDay(days: Visits['days']): number | null {
  const counted = days.filter(({ visitors }) => visitors > 0)
  const sum = counted.reduce((all, { visitors }) => all + visitors, 0)
  return counted.length === 0 ? null : Math.round(sum / counted.length)
}

function countryName(country: string | null): string {
  if (country === null) return words.visits.otherCountries
  return new Intl.DisplayNames(words.locale, { type: 'region' }).of(country) ?? country
}
