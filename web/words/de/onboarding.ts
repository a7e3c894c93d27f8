import type { Catalogue } from '#web/words/en.ts'

export const onboarding: Catalogue['onboarding'] = {
  tab: 'Neue Website',
  steps: ['Ordner', 'Adresse', 'Online'],
  titles: ['Stell eine Website online', 'Wähle eine Adresse', 'Deine Website ist online'],
  texts: [
    'Zieh den Ordner mit deiner Website hierher. Er wird in deinem eigenen Konto gespeichert und hat sofort eine Adresse.',
    'Besucher öffnen die Website unter ihrer Adresse. Der Name ist für dich: Du siehst ihn in der Liste deiner Websites.',
    'Gib die Adresse weiter, verbinde eine eigene Domain, oder ändere die Website und veröffentliche sie noch einmal.',
  ],
  addressHint:
    'Ohne sie bekommt die Website eine dauerhafte Adresse. Du kannst jederzeit eine andere wählen.',
  notAtAddress: 'Deine Website ist online, aber nicht unter der gewählten Adresse.',
  chooseAnother: 'Wähle eine andere Adresse',
  publishing: ['Sie geht online', 'Du kannst dir inzwischen deine anderen Websites ansehen.'],
  update: (site: string) => `${site} aktualisieren`,
  updateText:
    'Zieh die neue Version der Website hierher. Besucher sehen sie ganz oder noch die alte.',
  formTitle: 'Neue Website',
  toSites: 'Zu deinen Websites',
}
