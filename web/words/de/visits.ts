import { plurals } from '#web/words/plural.ts'

const plural = plurals('de')

export const visits = {
  title: 'Besuche',
  intro:
    'Von diesem Dienst gezählt, mit Bots, bis vor fünf Sekunden. Die Besucher eines Tages sind geschätzt. Nichts, woran man sie erkennt, wird gespeichert: keine Adresse, kein Cookie, kein Skript.',
  days: 'Wie viele Tage',
  last: (n: number) => (n === 1 ? 'Heute' : `Letzte ${n} Tage`),
  aboutVisitors: (n: number, isOneDay: boolean) =>
    `Etwa ${plural(n, 'Besucher', 'Besucher')}${isOneDay ? '' : ' am Tag'}.`,
  total: (views: number, requests: number, bytes: string) =>
    `${plural(views, 'Seitenaufruf', 'Seitenaufrufe')}, ${plural(requests, 'Anfrage', 'Anfragen')}, ${bytes} gesendet.`,
  byDay: 'Nach Tagen',
  day: 'Tag (UTC)',
  visitors: 'Besucher',
  views: 'Seitenaufrufe',
  requests: 'Anfragen',
  sent: 'Gesendet',
  refused: 'Abgewiesen',
  pages: 'Seiten',
  page: 'Seite',
  otherPages: 'Andere Seiten',
  referrers: 'Woher Besucher kamen',
  host: 'Website mit dem Link',
  otherHosts: 'Andere Websites',
  countries: 'Länder',
  country: 'Land',
  otherCountries: 'Andere Länder',
  statuses: 'Antworten',
  status: 'Status',
  answers: 'Antworten',
  statusNames: {
    '1xx': 'In Arbeit (1xx)',
    '2xx': 'Gesendet (2xx)',
    '3xx': 'Weitergeleitet oder unverändert (3xx)',
    '4xx': 'Nicht gefunden oder abgelehnt (4xx)',
    '5xx': 'Fehlgeschlagen (5xx)',
  } as Readonly<Record<string, string>>,
  empty: {
    title: 'Noch keine Besuche',
    text: 'Teile die Adresse deiner Website und schau wieder vorbei.',
  },
}
