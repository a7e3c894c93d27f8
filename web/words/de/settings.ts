import { plurals } from '#web/words/plural.ts'

const plural = plurals('de')

export const settings = {
  title: 'Einstellungen',
  of: (site: string) => `Einstellungen von ${site}`,
  intro:
    'Änderungen gelten für Besucher, sobald du sie speicherst. Deine Dateien bleiben, wie sie sind.',
  loadFailed: 'Die Einstellungen ließen sich nicht vom Server deines Kontos lesen.',
  slow: 'Der Server deines Kontos, auf dem die Einstellungen liegen, antwortet nur langsam.',
  sample: 'Zum Beispiel',
  shows: 'zeigt',
  redirects: 'leitet um auf',
  addresses: {
    title: 'Wie sehen Adressen aus?',
    asFiles: 'Wie die Dateien heißen',
    clean: 'Ohne .html',
    slash: 'Schrägstrich am Ende',
    slashes: {
      auto: 'Nur bei Ordnern: /about und /blog/',
      always: 'Immer: /about/ und /blog/',
      never: 'Nie: /about und /blog',
    },
  },
  index: {
    title: 'Welche Datei zeigt ein Ordner?',
    field: 'Indexdateien',
    hint: 'Dateinamen, durch Kommas getrennt. Die erste vorhandene wird gezeigt.',
  },
  missing: {
    title: 'Was sehen Besucher, wenn eine Seite fehlt?',
    notFound: '404.html zeigen (Vorgabe)',
    ours: 'Diese Website hat keine 404.html; Besucher sehen eine schlichte Fehlerseite.',
    custom404: 'Eine andere Seite zeigen',
    custom404Hint: 'Mit dem Status 404.',
    spaMode: 'Single-Page-App: immer index.html zeigen',
    spaModeHint: 'Mit dem Status 200, bei Adressen ohne Dateiendung.',
    directoryListing: 'In Ordnern ohne Index die Dateien auflisten',
    directoryListingHint: 'Fehlende Seiten zeigen weiterhin 404.html.',
    page: 'Seite, die gezeigt wird',
    choose: 'Datei wählen',
    chooseFirst: 'Wähle die Seite, die gezeigt wird.',
    notThere: (path: string) => `${path} (nicht in der Live-Version)`,
    notThereWarning: (path: string) =>
      `Die Live-Version hat keine ${path}; Besucher sehen eine schlichte Fehlerseite. Wähle eine andere Datei, oder veröffentliche sie.`,
    andStatus: (status: number) => `mit dem Status ${status}`,
    plainPage: 'eine schlichte Fehlerseite',
    listing: 'eine Liste der Dateien',
  },
  headers: {
    title: 'Welche Header werden mitgesendet?',
    hint: 'Sie stehen vor denen einer _headers-Datei. Ein Pfad ist eine Adresse wie /assets/* oder das Ende einer Adresse wie *.html. Ohne Pfad gilt ein Header überall.',
    none: 'Noch keine Header.',
    path: 'Pfad',
    everywhere: 'überall',
    name: 'Name',
    value: 'Wert',
    add: 'Header hinzufügen',
    remove: (name: string) => `${name} entfernen`,
    unnamed: 'diesen Header',
    nameMissing: 'Gib einen Namen ein, etwa X-Robots-Tag.',
    nameBad: 'Ein Name besteht aus Buchstaben, Ziffern und Strichen, etwa X-Robots-Tag.',
    nameRefused: 'Websites können diesen Header nicht setzen.',
    valueBad: 'Nur sichtbare ASCII-Zeichen und Leerzeichen.',
    ownDomainOnly: 'Wird nur auf deinen eigenen Domains gesendet.',
    all: (n: number) =>
      `Du hast ${plural(n, 'Header', 'Header')}, mehr kann eine Website nicht haben.`,
  },
  history: {
    title: 'Wie viele frühere Versionen bleiben?',
    field: 'Versionen',
    hint: (max: number) => `0 bis ${max}. Angeheftete Versionen bleiben in jedem Fall.`,
    bad: (max: number) => `Gib eine ganze Zahl von 0 bis ${max} ein.`,
  },
  unsaved: 'Nicht gespeicherte Änderungen',
  save: 'Änderungen speichern',
  saving: 'Wird gespeichert …',
  saved: 'Gespeichert. Gilt ab jetzt für Besucher.',
  changedElsewhere:
    'Die Einstellungen wurden anderswo geändert, seit du diese Seite geöffnet hast. Speichere noch einmal, um sie zu ersetzen, oder lade die Seite neu, um sie zu sehen.',
  discard: 'Verwerfen',
  leaving: {
    title: 'Änderungen verwerfen?',
    text: 'Deine Änderungen an den Einstellungen sind nicht gespeichert.',
    discard: 'Änderungen verwerfen',
    stay: 'Weiter bearbeiten',
  },
}
