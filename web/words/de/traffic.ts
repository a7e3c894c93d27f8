import { plurals } from '#web/words/plural.ts'

const plural = plurals('de')

export const traffic = {
  titles: {
    50: 'Die Hälfte des Datenverkehrs von heute ist verbraucht',
    75: 'Drei Viertel des Datenverkehrs von heute sind verbraucht',
    100: 'Der Datenverkehr von heute ist verbraucht',
  },
  left: 'Besucher sehen die Website, bis die Grenze erreicht ist, und wieder nach Mitternacht (UTC).',
  none: 'Besucher lesen, dass die Website morgen wieder da ist: nach Mitternacht (UTC).',
  used: (used: string, max: string) => `${used} von ${max} heute an Besucher gesendet.`,
  refused: (n: number) => `${plural(n, 'Anfrage', 'Anfragen')} heute abgewiesen.`,
  crowded: 'Zu viele Besucher auf einmal',
}
