import type { Catalogue } from '#web/words/en.ts'
import { counts, plurals } from '#web/words/plural.ts'

const count = counts('de')
const plural = plurals('de')
const files = (n: number) => plural(n, 'Datei', 'Dateien')

export const publish: Catalogue['publish'] = {
  files,
  unreadable: 'Deine Auswahl ließ sich nicht lesen. Wähle sie noch einmal aus.',
  tooManyEntries: (max: number) =>
    `Das sind über ${max} Dateien und Ordner. Wähle den Ordner, in dem die fertige Website liegt.`,
  fileUnreadable: (path: string) =>
    `„${path}“ wurde seit der Auswahl geändert oder gelöscht. Wähle den Ordner noch einmal aus.`,
  zip: {
    broken: 'Das ist keine vollständige Zip-Datei.',
    tooLarge: (max: number) => `In dieser Zip-Datei sind über ${max} Dateien und Ordner.`,
    namesTooLong: 'Die Namen in dieser Zip-Datei sind zu lang.',
    overlaps: 'Dateien dieser Zip-Datei überlappen sich darin.',
    notUtf8:
      'Ein Name in dieser Zip-Datei ist nicht in UTF-8. Packe sie mit einem anderen Programm neu.',
    drive: (name: string) => `Ungültiger Pfad „${name}“: Er nennt ein Laufwerk.`,
    damaged: (name: string) => `„${name}“ ist in dieser Zip-Datei beschädigt.`,
  },
  brokenOff: 'Die Verbindung ist abgerissen. Nichts wurde veröffentlicht; versuche es noch einmal.',
  brokenAfter:
    'Die Verbindung ist nach der letzten Datei abgerissen. Vielleicht ist deine Website trotzdem veröffentlicht: Sieh nach, bevor du es noch einmal versuchst.',
  lost: 'Sitehost ist nicht erreichbar. Vielleicht ist deine Website trotzdem veröffentlicht: Sieh nach, bevor du es noch einmal versuchst.',
  neverComplete:
    'Der Dienst hat gerade keinen Platz für diese Website. Versuche es in einigen Minuten noch einmal; was er schon hat, wird nicht erneut gesendet.',
  needsDeploys:
    'Dieser Dienst kann keine einzelnen Dateien ändern. Veröffentliche den ganzen Ordner.',
  nameNotForForms: (path: string) =>
    `Dieser Dienst nimmt Dateinamen wie „${path}“ nicht an. Benenne die Datei um, ohne Anführungszeichen.`,
  cancelled: 'Abgebrochen. Nichts wurde veröffentlicht.',
  inOtherTab: 'Ein anderer Tab dieses Browsers veröffentlicht das gerade.',
  otherAccount: (handle: string) =>
    `Du bist als ${handle} angemeldet; eingegeben war ein anderes Konto. Nichts wird veröffentlicht, bevor du es sagst.`,
  broken: 'Auf dieser Seite ist etwas schiefgegangen. Versuche es noch einmal.',

  zone: {
    title: 'Zieh einen Ordner hierher',
    another: 'Zieh etwas anderes hierher',
    onto: (site: string) => `Loslassen, um ${site} zu aktualisieren`,
    asNew: 'Loslassen, um eine neue Website zu veröffentlichen',
    found: (n: number) => `Wird gelesen … ${files(n)}`,
  },
  chosen: {
    ready: 'Bereit',
    title: 'Deine Auswahl',
    archive: 'Die Dateien darin werden veröffentlicht.',
    remove: 'Entfernen',
    noStartPage: 'Es gibt keine index.html, also zeigt die Adresse selbst „Seite nicht gefunden“.',
    folder: (folder: string) => `Oben liegt keine index.html, aber in ${folder} gibt es eine.`,
    folderInstead: (folder: string) => `Stattdessen ${folder} veröffentlichen`,
    page: (page: string) => `Es gibt keine index.html, aber ${page}.`,
    pageInstead: (page: string) => `${page} zur Startseite machen`,
    isStartPage: (page: string) => `${page} ist die Startseite.`,
    mend: 'Ändere das im Ordner und wähle ihn dann noch einmal aus.',
    leftOut: (n: number) => `${plural(n, 'Eintrag', 'Einträge')} ausgelassen`,
    kept: 'Das hast du vorhin ausgewählt. Es ist noch nicht veröffentlicht.',
    notKept: {
      'too-large':
        'Das ist zu groß, um es im Browser aufzuheben. Bleib auf dieser Seite, bis alles gesendet ist.',
      'no-room':
        'Dein Browser hat keinen Platz, um das aufzuheben. Wähle es nach dem Anmelden oder Verlassen noch einmal aus.',
      unavailable:
        'Dein Browser hebt für diese Seite keine Dateien auf. Wähle sie nach dem Anmelden oder Verlassen noch einmal aus.',
    },
  },
  form: {
    title: 'Veröffentlichen',
    siteName: 'Name der Website',
    rule: 'Buchstaben, Ziffern und Bindestriche',
    replaces: (site: string) => `Ersetzt deine Website „${site}“.`,
    removes: (removed: number, present: number, site: string) =>
      `Das entfernt ${count(removed)} von ${plural(present, 'Datei', 'Dateien')} von ${site}.`,
    removesUnknown: (site: string) =>
      `Die Dateien von ${site} ließen sich nicht mit diesen vergleichen. Das ersetzt sie alle.`,
    noName: 'Gib der Website einen Namen.',
    onlyDots: 'Ein oder zwei Punkte sind kein Name. Ergänze einen Buchstaben oder eine Ziffer.',
    tooLong: (max: number, n: number) => `Ein Name hat höchstens ${max} Zeichen; dieser hat ${n}.`,
    space: 'In einem Namen darf kein Leerzeichen sein.',
    foreign: (char: string) => `In einem Namen darf kein „${char}“ sein.`,
    chooseFirst: 'Wähle zuerst einen Ordner oder eine Zip-Datei.',
    cannot: 'Diese Dateien lassen sich nicht veröffentlichen. Wähle andere.',
    publish: 'Veröffentlichen',
    replace: (site: string) => `${site} ersetzen`,
    tryAgain: 'Noch einmal versuchen',
    replaceWith:
      'Die Website hat sich inzwischen geändert. Veröffentliche noch einmal, um sie zu ersetzen.',
  },
  progress: {
    title: (site: string) => `${site} wird veröffentlicht`,
    read: (n: number, total: number) => `${count(n)} von ${files(total)}`,
    send: (sent: string, total: string) => `${sent} von ${total}`,
    percent: (percent: number) => `${percent} Prozent`,
    cancel: 'Abbrechen',
    cancelling: 'Wird abgebrochen …',
    close: 'Schließen',
    stay: 'Lass diesen Tab offen, bis alles gesendet ist.',
    leave: 'Du kannst diesen Tab schließen. Es geht weiter.',
    offline: 'Du bist offline. Es geht weiter, sobald die Verbindung zurück ist.',
    service: 'Der Dienst ist ausgelastet oder startet neu. Neuer Versuch …',
    server: 'Wartet auf den Server deines Kontos. Es geht automatisch weiter.',
    toStart: 'Wartet auf den Beginn',
    prepared: (n: number, total: number) => `${count(n)} von ${files(total)} vorbereitet`,
    stored: (n: number, total: number) => `${count(n)} von ${files(total)} gespeichert`,
    writing: 'Die neue Version wird geschrieben',
    online: 'Die Website geht online',
  },
  update: {
    title: (site: string) => `${site} aktualisieren`,
    text: 'Besucher sehen die ganze neue Version, oder noch die alte.',
    zone: 'Zieh die neue Version hierher',
    busy: (site: string) => `${site} wird gerade veröffentlicht. Warte, bis es online ist.`,
    done: (site: string) => `${site} ist aktualisiert. Jetzt online.`,
    cancel: (site: string) => `Veröffentlichen von ${site} abbrechen`,
    tryAgain: (site: string) => `Noch einmal versuchen: ${site}`,
  },
  result: {
    live: 'Deine Website ist online',
    stored: 'Deine Website ist gespeichert',
    soon: 'Sie geht gleich online.',
    nothingSent: 'nichts hochzuladen',
    sent: (n: number) => `${count(n)} hochgeladen`,
    address: 'Adresse',
    open: 'Öffnen',
    qr: 'QR-Code',
    share: 'Auf Bluesky teilen',
    post: (url: string) => `Meine Website ist online: ${url}`,
    preview: (site: string) => `${site}, wie Besucher sie sehen`,
    next: 'Wie geht es weiter?',
    manage: 'Zur Seite der Website',
    domain: 'Eigene Domain verwenden',
    terminal: {
      title: 'Vom Terminal aus aktualisieren',
      signIn: 'Einmal anmelden, im Browser:',
      publish: 'Im Ordner deiner Website:',
      command: 'Befehl',
      more: 'Alle Befehle',
    },
    another: 'Noch eine veröffentlichen',
    noHistory: 'Diese Version steht nicht im Verlauf der Website:',
  },
}
