import { plurals } from '#web/words/plural.ts'

const plural = plurals('de')

export const shell = {
  skip: 'Zum Inhalt springen',
  home: (name: string) => `${name}, Startseite`,
  sites: 'Deine Websites',
  allSites: 'Alle Websites',
  chooseSite: (current: string) => `${current}: Website wählen`,
  moreSites: (n: number) => plural(n, 'weitere Website', 'weitere Websites'),
  newSite: 'Neue Website',
  account: 'Konto',
  accountOf: (handle: string) => `Konto: ${handle}`,
  yourAccount: 'Dein Konto',
  signIn: 'Anmelden',
  signOut: 'Abmelden',
  signedOut:
    'Du bist abgemeldet. Melde dich in einem anderen Tab an und speichere dann hier: Deine Änderungen sind noch da.',
  signOutFailed: 'Du bist noch angemeldet: Sitehost war nicht erreichbar. Versuch es noch einmal.',
  theme: 'Darstellung',
  themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
  language: 'Sprache',
  offline: 'Du bist offline. Was du siehst, ist vielleicht nicht mehr aktuell.',
  online: 'Du bist wieder online.',
  stale: 'Aktualisieren hat nicht geklappt. Das hier ist vielleicht veraltet.',
  tryAgain: 'Noch einmal versuchen',
  dismiss: 'Schließen',
  notices: 'Meldungen',
  footer: 'Über diesen Dienst',
  contact: 'Kontakt',
  terms: 'Nutzungsbedingungen',
  privacy: 'Datenschutz',
  api: 'API',
  loading: 'Lädt …',
  notLoaded: {
    title: 'Diese Seite konnte nicht geladen werden',
    text: 'Prüfe deine Verbindung und lade die Seite dann neu.',
    part: 'Das konnte nicht geladen werden. Prüfe deine Verbindung und versuche es noch einmal.',
  },
  crashed: {
    title: 'Diese Seite funktioniert gerade nicht',
    text: 'Lade sie neu. Wenn das nicht hilft, sag den Betreibern, was du getan hast.',
    reload: 'Seite neu laden',
    details: 'Was passiert ist',
  },
}
