import type { Catalogue } from '#web/words/en.ts'

export const start: Catalogue['start'] = {
  title: 'Deine Website. Dein Konto. Online in Sekunden.',
  lines: ['Deine Website. Dein Konto.', 'Online in Sekunden.'],
  tab: 'Einen Ordner online stellen',
  lead: 'Zieh einen Ordner hierher, und er ist online. Die Dateien liegen in deinem eigenen AT-Protocol-Konto, also kannst du sie zu jedem anderen Anbieter mitnehmen.',
  noSite: 'Noch nichts zu veröffentlichen?',
  fromTemplate: 'Mit einer Vorlage beginnen',
  signIn: {
    label: 'Dein Handle',
    hint: 'Dein Handle bei Bluesky oder im AT Protocol, etwa alice.bsky.social',
    submit: 'Anmelden',
    submitAndPublish: 'Anmelden und veröffentlichen',
    leaving: 'Frage deinen Server …',
    failed: 'Die Anmeldung hat nicht geklappt. Versuch es noch einmal.',
  },
  news: {
    left: 'Deine Daten hier sind gelöscht.',
    invited: 'Du bist eingeladen. Melde dich mit deinem Konto an, um anzunehmen.',
    signed_out: 'Deine Anmeldung ist abgelaufen. Melde dich noch einmal an.',
    sign_in: 'Melde dich an, um fortzufahren.',
  },
  problems: {
    auth_failed:
      'Die Anmeldung hat nicht geklappt. Versuch es noch einmal und erlaube alles, worum Sitehost bittet. Falls du abgelehnt hast: Es wurde nichts geändert.',
    too_many:
      'Zu viele Anmeldungen aus deinem Netz. Versuch es in ein paar Sekunden noch einmal; es wurde nichts geändert.',
    not_allowed:
      'Dieser Dienst ist nicht für alle offen, und dein Konto steht nicht auf seiner Liste. Bitte die Betreiber um eine Einladung; es wurde nichts gespeichert.',
    invitation_over:
      'Diese Einladung wurde schon benutzt oder ist abgelaufen. Bitte die Person, von der du sie hast, um eine neue.',
    missing_handle: 'Gib dein Handle oder die Adresse deines Servers ein.',
  },
  /** In documents of pages that are drawn by a script. */
  withoutScript: {
    title: 'Anmelden',
    label: 'Dein Handle',
    submit: 'Anmelden',
    text: 'Zum Veröffentlichen eines Ordners braucht es JavaScript.',
  },
  tooOld:
    'Dieser Browser ist zu alt, um von dieser Seite aus zu veröffentlichen. Anmelden kannst du dich trotzdem; aktualisiere ihn, um die Seite zu nutzen.',
  kept: 'Deine Auswahl bleibt in diesem Browser, bis du zurück bist.',
  account: {
    title: 'Kein Konto? So bekommst du eins',
    text: 'Jedes Bluesky-Konto funktioniert. Es ist kostenlos, und du kannst später mit deinen Websites zu einem anderen Server umziehen.',
    get: 'Konto bei bsky.social anlegen',
    back: 'Danach kommst du hierher zurück. Deine Auswahl bleibt in diesem Browser.',
    own: 'Du kannst oben auch die Adresse eines anderen Servers eingeben.',
  },
  facts: [
    {
      title: 'Sie gehört dir',
      text: 'Dein Konto speichert und signiert die Dateien. Auch jeder andere Anbieter kann sie zeigen.',
    },
    {
      title: 'Ganz oder gar nicht',
      text: 'Besucher sehen die ganze neue Version oder noch die alte.',
    },
  ],
  onlySites: {
    title: 'Nur deine Websites',
    text: (service: string) =>
      `Du meldest dich bei deinem eigenen Server an. ${service} kann deine Websites schreiben, nicht deine Beiträge.`,
  },
  sample: {
    label: 'Eine Beispielseite und der Datensatz, aus dem sie stammt',
    address: 'notes.alice.example',
    title: 'Notizen aus einem kleinen Garten',
    text: 'Was wächst, was nicht, und was die Schnecken davon halten.',
    posts: ['Tomaten auf dem Nordbalkon', 'Ein Teich im Eimer', 'Samen, die sich lohnen'],
    verified: 'Signatur geprüft',
  },
  starter: {
    title: 'Mit einer Vorlage beginnen',
    kinds: {
      links: { title: 'Linkseite', text: 'Du, und wo man dich findet' },
      blog: { title: 'Blog', text: 'Eine Startseite und ein erster Beitrag' },
      soon: { title: 'Demnächst', text: 'Eine Zeile, bis es mehr gibt' },
    },
    name: 'Titel',
    namePlaceholder: 'Alice',
    about: 'Eine Zeile dazu',
    abouts: {
      links: 'Hier findest du mich überall.',
      blog: 'Notizen zu dem, was ich mache.',
      soon: 'Hier entsteht etwas.',
    },
    handle: 'Dein Handle',
    picture: 'Bild',
    use: 'Diese Vorlage verwenden',
    missing: 'Gib ihr einen Titel.',
  },
}
