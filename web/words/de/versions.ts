import { plurals } from '#web/words/plural.ts'

const plural = plurals('de')

export const versions = {
  title: 'Versionen',
  intro:
    'Jede Veröffentlichung bleibt in deinem Konto. Du kannst jederzeit zu einer zurück: nichts wird noch einmal hochgeladen.',
  empty: {
    title: 'Noch kein Verlauf',
    text: 'Er beginnt mit deiner nächsten Veröffentlichung.',
    signIn:
      'Wenn du dich angemeldet hast, bevor es Versionen gab, melde dich ab und wieder an, um sie zu erlauben.',
  },
  list: 'Versionen dieser Website',
  states: {
    live: 'Online',
    replaced: 'Ersetzt',
    preview: 'Vorschau',
    refused: 'Abgelehnt',
    expired: 'Abgelaufen',
  },
  untitled: 'Veröffentlicht',
  untitledPreview: 'Vorschau',
  files: (n: number) => plural(n, 'Datei', 'Dateien'),
  pinned: 'Angeheftet',
  byOther: 'von einem anderen Programm',
  until: (when: string) => `bis ${when}`,
  address: 'Die dauerhafte Adresse',
  previewAddress: 'Die Adresse der Vorschau',
  openVersion: 'Diese Version öffnen',
  more: (what: string) => `Mehr zu ${what}`,
  showOlder: 'Ältere Versionen zeigen',
  problems: 'Was zu beheben ist',

  changes: {
    summary: 'Was sich geändert hat',
    none: 'Keine Datei und keine Einstellung hat sich geändert.',
    first: 'Das ist die älteste Version. Es gibt nichts zum Vergleichen.',
    loading: 'Vergleiche …',
    added: 'Neu',
    changed: 'Geändert',
    removed: 'Entfernt',
    setting: 'Einstellung',
    moreFiles: (n: number) => `und ${plural(n, 'weitere Datei', 'weitere Dateien')}`,
    showMore: 'Mehr Dateien zeigen',
    notSet: 'nicht gesetzt',
  },

  restore: 'Wiederherstellen',
  promote: 'Veröffentlichen',
  restoring: 'Stelle wieder her …',
  restored: (site: string) => `${site} ist wieder bei dieser Version.`,
  promoted: (site: string) => `Die Vorschau ist als ${site} online.`,
  undo: 'Rückgängig',
  undone: 'Rückgängig gemacht.',
  restoreFailed: (why: string) => `Nicht wiederhergestellt. ${why}`,

  pin: 'Anheften, damit sie immer bleibt',
  unpin: 'Lösen',
  pinnedNow: 'Angeheftet. Sie bleibt, bis du sie löst.',
  unpinnedNow: 'Gelöst. Sie geht, wenn es 10 neuere gibt.',
  editMessage: 'Version beschreiben',
  message: 'Beschreibung',
  messageHint: 'Bis zu 300 Zeichen. Sie ist öffentlich, in deinem Konto.',
  saveMessage: 'Beschreibung speichern',
  download: 'Als Zip herunterladen',
  copyAddress: 'Dauerhafte Adresse kopieren',

  forget: 'Überall vergessen …',
  forgetTitle: 'Diese Version vergessen?',
  forgetYes: 'Diese Version vergessen',
  forgetText:
    'Ihr Eintrag und jede Datei, die nur diese Version hat, werden in deinem Konto und hier gelöscht. Ihre Adresse funktioniert dann nicht mehr. Das lässt sich nicht rückgängig machen.',
  receipt: {
    title: 'Vergessen',
    text: (files: number, bytes: string) =>
      `${plural(files, 'gespeicherte Datei', 'gespeicherte Dateien')} (${bytes}), die sonst nichts benutzte, gibt es weder hier noch in deinem Konto mehr.`,
    records: 'Gelöschte Einträge',
    close: 'Schließen',
  },
}
