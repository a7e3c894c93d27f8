import { plurals } from '#web/words/plural.ts'

const plural = plurals('en')

export const traffic = {
  titles: {
    50: 'Half of today’s traffic is used',
    75: 'Three quarters of today’s traffic is used',
    100: 'Today’s traffic is used up',
  },
  left: 'Visitors get the site until the limit is reached, and again after midnight (UTC).',
  none: 'Visitors read that the site is back tomorrow. It is, after midnight (UTC).',
  used: (used: string, max: string) => `${used} of ${max} sent to visitors today.`,
  refused: (n: number) => `${plural(n, 'request was', 'requests were')} turned away today.`,
  crowded: 'Too many visitors at once',
}
