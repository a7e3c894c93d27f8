import { plurals } from '#web/words/plural.ts'

const plural = plurals('en')

export const visits = {
  title: 'Visits',
  intro:
    'Counted by this service, bots included, up to five seconds ago. Nothing that identifies your visitors is stored: no address, no cookie, no script.',
  days: 'How many days',
  last: (n: number) => (n === 1 ? 'Today' : `Last ${n} days`),
  total: (views: number, requests: number, bytes: string) =>
    `${plural(views, 'page view', 'page views')}, ${plural(requests, 'request', 'requests')}, ${bytes} sent.`,
  byDay: 'By day',
  day: 'Day (UTC)',
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
