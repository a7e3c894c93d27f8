import { plurals } from '#web/words/plural.ts'

const plural = plurals('de')

/** What only the editor of a file says. */
export const fileEditor = {
  back: 'Alle Dateien',
  content: (path: string) => `Inhalt von ${path}`,
  facts: (lines: number, bytes: string) => `${plural(lines, 'Zeile', 'Zeilen')}, ${bytes}`,
  encodings: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16',
    'utf-16be': 'UTF-16',
    'windows-1252': 'Windows-1252',
  },
  lineEnds: { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' },
  withMark: 'mit Byte Order Mark',
  publish: 'Änderungen veröffentlichen',
  publishing: 'Wird veröffentlicht …',
  unsaved: 'Noch nicht veröffentlicht',
  unchanged: 'Keine Änderungen',
  shortcut: (key: string) => `${key} veröffentlicht. Tab verlässt den Text.`,
  discard: 'Änderungen verwerfen',
  notText: 'Diese Datei ist kein Text und lässt sich hier nicht bearbeiten.',
  tooLarge: (max: string) =>
    `Dateien von mehr als ${max} lassen sich hier nicht bearbeiten. Lade sie herunter, ändere sie und veröffentliche sie neu.`,
  grownTooLarge: (max: string) => `Höchstens ${max} lassen sich hier bearbeiten. Kürze den Text.`,
  noSuchCharacter:
    'Diese Datei ist in Windows-1252, und einige deiner Zeichen gibt es darin nicht. Nimm andere, oder veröffentliche die Datei in UTF-8.',
  leaving: {
    title: 'Gehen, ohne zu veröffentlichen?',
    text: 'Was du in dieser Datei geändert hast, geht verloren.',
    discard: 'Änderungen verwerfen',
    stay: 'Weiter bearbeiten',
  },
  conflict: {
    title: 'Diese Datei wurde inzwischen geändert',
    text: 'Jemand hat eine andere Fassung veröffentlicht, seit du sie geöffnet hast. Nichts wurde veröffentlicht, und nichts von deinem Text ist verloren.',
    gone: 'Jemand hat sie gelöscht, seit du sie geöffnet hast. Nichts wurde veröffentlicht, und nichts von deinem Text ist verloren.',
    compare: 'Vergleichen',
    comparing: 'Von der anderen Fassung zu deiner',
    removed: 'die andere',
    added: 'deine',
    alike: (n: number) =>
      n === 1 ? '1 gleiche Zeile' : `${n.toLocaleString('de')} gleiche Zeilen`,
    mine: 'Meine veröffentlichen',
    theirs: 'Die andere nehmen',
    notShown: 'Die andere Fassung ist kein Text.',
  },
}
