import { counts, plurals } from '#web/words/plural.ts'

const count = counts('de')
const plural = plurals('de')

export const site = {
  danger: {
    title: 'Diese Website löschen',
    text: 'Sie geht sofort offline und wird aus deinem Konto gelöscht, mit Versionen und Einstellungen.',
    addresses: (names: string) =>
      `Deine Adressen bleiben deine und zeigen nichts, bis du eine andere Website wählst: ${names}.`,
    button: (site: string) => `${site} löschen`,
    question: (site: string) => `${site} löschen?`,
    final: 'Das lässt sich nicht rückgängig machen.',
    deleting: 'Wird gelöscht …',
    deleted: (site: string) => `${site} ist gelöscht.`,
  },
  explain: {
    title: 'Diese Adresse erklären',
    intro: 'Gib eine Adresse dieser Website ein und sieh, was Besucher dort bekommen und warum.',
  },
  tabs: {
    label: 'Teile dieser Website',
    overview: 'Überblick',
    files: 'Dateien',
    versions: 'Versionen',
    domains: 'Domains',
    visits: 'Besuche',
    settings: 'Einstellungen',
  },
  missing: {
    title: (rkey: string) => `Du hast keine Website namens ${rkey}`,
    text: 'Vielleicht wurde sie gelöscht, oder sie gehört zu einem anderen Konto.',
    toSites: 'Zu deinen Websites',
  },
  open: 'Öffnen',
  update: 'Aktualisieren',
  address: 'Adresse',
  qr: 'QR-Code zeigen',
  qrTitle: (host: string) => `QR-Code von ${host}`,
  qrText: 'Richte die Kamera eines Telefons darauf, um die Website zu öffnen.',
  overview: {
    lastVersion: 'Letzte Version',
    allVersions: 'Alle Versionen',
    allDomains: 'Domains verwalten',
    permanent: 'Dauerhafte Adresse',
    permanentName: 'Die dauerhafte Adresse',
    neverLive: 'Noch keine Version ist online gegangen.',
    files: (n: number) => plural(n, 'Datei', 'Dateien'),
    changed: (n: number) => (n === 0 ? 'nichts geändert' : `${count(n)} geändert`),
  },
  proof: {
    title: 'Nachweis',
    verified: 'Signatur geprüft',
    none: 'Noch nichts zu prüfen',
    signer: 'Signiert von',
    record: 'Eintrag',
    recordAddress: 'die Adresse des Eintrags',
    cid: 'Prüfsumme',
    command: 'Selbst prüfen',
    commandName: 'Befehl',
    text: 'Der Eintrag liegt in deinem Konto, und dein Konto signiert ihn. Das kann jeder ohne uns prüfen.',
  },
  problemsOf: (n: number) => plural(n, 'Problem', 'Probleme'),
  notices: {
    live: { title: 'Online, mit etwas zu verbessern', text: 'Der Rest der Website funktioniert.' },
    unread: {
      title: 'Wartet auf den Server deines Kontos',
      text: 'Die neueste Version konnte noch nicht ganz gelesen werden.',
    },
    refused: {
      title: 'Die neueste Version wurde abgelehnt',
      text: 'Verbessere dies und veröffentliche noch einmal.',
    },
    offline: { title: 'Diese Website wurde gesperrt', text: 'Besucher sehen sie nicht.' },
    olderIsLive: 'Besucher sehen noch die Version davor.',
  },
  states: {
    live: 'Online',
    problems: 'Bitte ansehen',
    unread: 'Wartet auf deinen Server',
    refused: 'Abgelehnt',
    offline: 'Gesperrt',
  },
}
