import type { Catalogue } from '#web/words/en.ts'

export const onboarding: Catalogue['onboarding'] = {
  tab: 'Neue Website',
  steps: ['Ordner', 'Name', 'Online'],
  titles: ['Stell eine Website online', 'Gib ihr einen Namen', 'Deine Website ist online'],
  texts: [
    'Zieh den Ordner mit deiner Website hierher. Er wird in deinem eigenen Konto gespeichert und hat sofort eine Adresse.',
    'Der Name ist für dich: Du siehst ihn in der Liste deiner Websites. Veröffentliche sie, und sie hat eine Adresse.',
    'Gib die Adresse weiter, verbinde eine eigene Domain, oder ändere die Website und veröffentliche sie noch einmal.',
  ],
  publishing: ['Sie geht online', 'Du kannst dir inzwischen deine anderen Websites ansehen.'],
  update: (site: string) => `${site} aktualisieren`,
  updateText:
    'Zieh die neue Version der Website hierher. Besucher sehen sie ganz oder noch die alte.',
  formTitle: 'Neue Website',
  toSites: 'Zu deinen Websites',
}
