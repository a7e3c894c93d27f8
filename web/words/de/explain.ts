export const explain = {
  field: 'Adresse oder Pfad',
  ask: 'Adresse erklären',
  asking: 'Wird nachgesehen …',
  status: 'Status',
  file: (path: string) => `Besucher bekommen die Datei ${path}.`,
  sentTo: (location: string) => `Besucher werden auf ${location} umgeleitet.`,
  folderList: 'Besucher sehen eine Liste der Dateien des Ordners.',
  ourPage: 'Besucher sehen eine schlichte Fehlerseite.',
  by: {
    file: 'Zu dieser Adresse gibt es eine Datei.',
    home: 'Die Datei zu dieser Adresse wird unter einer anderen gezeigt.',
    rule: (line: number) => `Zeile ${line} der _redirects gilt.`,
    'forced-rule': (line: number) =>
      `Zeile ${line} der _redirects gilt: ihr „!“ stellt sie vor Dateien.`,
    listing: 'Es ist ein Ordner ohne Indexdatei, und die Einstellungen listen solche auf.',
    application:
      'Keine Datei passt, und die Einstellungen zeigen für solche Adressen eine bestimmte Seite.',
    nothing: 'Keine Datei und keine Regel passt.',
    reserved:
      'Was an dieser Adresse ist, bekommen Besucher nie: Es richtet die Website ein oder ist für Zertifikate.',
    request: 'Das ist keine gültige Adresse.',
    primary: 'Die Website hat eine andere Hauptadresse.',
    takedown: 'Ein Administrator hat diese Website vom Netz genommen.',
  },
  overruled: (line: number) =>
    `Zeile ${line} der _redirects gilt nicht, weil Dateien vorgehen. Mit „!“ hinter ihrem Status steht sie vor der Datei.`,
  headers: 'Header',
  header: 'Header',
  value: 'Wert',
  removed: 'entfernt',
  because: 'Wegen',
  ofService: 'Sitehost',
  ofFile: (line: number) => `_headers, Zeile ${line}`,
  ofSettings: (nth: number) => `Einstellungen, Header ${nth}`,
}
