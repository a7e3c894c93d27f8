import { plurals } from '#web/words/plural.ts'

const plural = plurals('en')

export const visits = {
  title: 'Visits',
  intro:
    'Counted by this service, bots included, up to five seconds ago. Visitors of a day are estimated. Nothing that identifies them is stored: no address, no cookie, no script.',
  days: 'How many days',
  last: (n: number) => (n === 1 ? 'Today' : `Last ${n} days`),
  aboutVisitors: (n: number, isOneDay: boolean) =>
    `About ${plural(n, 'visitor', 'visitors')}${isOneDay ? '' : ' a day'}.`,
  total: (views: number, requests: number, bytes: string) =>
    `${plural(views, 'page view', 'page views')}, ${plural(requests, 'request', 'requests')}, ${bytes} sent.`,
  byDay: 'By day',
  day: 'Day (UTC)',
  visitors: 'Visitors',
  views: 'Page views',
  requests: 'Requests',
  sent: 'Sent',
  refused: 'Turned away',
  pages: 'Pages',
  page: 'Page',
  otherPages: 'Other pages',
  referrers: 'Where visitors came from',
  host: 'Site with the link',
  otherHosts: 'Other sites',
  countries: 'Countries',
  country: 'Country',
  otherCountries: 'Other countries',
  statuses: 'Answers',
  status: 'Status',
  answers: 'Answers',
  statusNames: {
    '1xx': 'In progress (1xx)',
    '2xx': 'Sent (2xx)',
    '3xx': 'Redirected or unchanged (3xx)',
    '4xx': 'Not found or refused (4xx)',
    '5xx': 'Failed (5xx)',
  } as Readonly<Record<string, string>>,
  empty: { title: 'No visits yet', text: 'Share the address of your site, and come back.' },
}
