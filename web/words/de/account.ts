import { plurals } from '#web/words/plural.ts'

const plural = plurals('de')

export const account = {
  title: 'Konto',
  identity: {
    handle: 'Handle',
    did: 'Dauerhafte ID (DID)',
    server: 'Server des Kontos',
    unknown: 'nicht bekannt',
  },
  identityText:
    'Deine Dateien und deine Identität liegen beim Server deines Kontos. Beides kannst du ohne uns umziehen.',
  usage: {
    title: 'Was du nutzt',
    sites: 'Websites',
    bytes: 'Dateien aller Live-Versionen',
    uploads: 'Uploads der letzten 24 Stunden',
    traffic: 'Heute an Besucher gesendet',
    of: (used: string, max: string) => `${used} von ${max}`,
    unlimited: (used: string) => `${used}, ohne Grenze`,
    failed: 'Was du nutzt, ließ sich nicht lesen.',
  },
  signIns: {
    title: 'Wo du angemeldet bist',
    here: 'Dieser Browser',
    unknownDevice: 'Unbekannter Browser',
    lastUsed: 'Zuletzt genutzt',
    since: 'Angemeldet',
    device: 'Browser',
    actions: 'Aktionen',
    end: 'Abmelden',
    endOf: (device: string) => `Abmelden: ${device}`,
    ended: (device: string) => `${device} ist abgemeldet.`,
    endAll: 'Überall abmelden',
    endAllQuestion: 'Überall abmelden?',
    endAllText: (n: number) =>
      `Damit bist du in ${plural(n, 'Browser', 'Browsern')} abgemeldet, auch in diesem, und die Deploy-Tokens und CI-Freigaben deiner Websites enden.`,
    failed: 'Deine Anmeldungen ließen sich nicht lesen.',
  },
  appearance: { title: 'Darstellung und Sprache', text: 'Nur für diesen Browser.' },
  export: {
    title: 'Deine Daten exportieren',
    text: 'Eine Datei mit allem, was dieser Dienst über dein Konto speichert: deine Websites mit Namen und Hashes ihrer Dateien, Adressen, Domains, Uploads des letzten Tages, Deploy-Tokens, Webhooks und Anmeldungen. Die Dateien selbst liegen in deinem Konto.',
    button: 'Alles herunterladen',
  },
  remove: {
    title: 'Deine Daten hier löschen',
    text: 'Deine Websites gehen offline. Deine Adressen bleiben 30 Tage für dich reserviert. Dieser Dienst behält nur einen Fingerabdruck der ID deines Kontos, damit nur eine Anmeldung dich zurückbringt, und Logzeilen der letzten 30 Tage. Dein Konto bleibt bei deinem Server.',
    records: 'Auch meine Websites aus meinem Konto löschen',
    recordsHint: 'Dann kann kein anderer Dienst sie zeigen.',
    button: 'Deine Daten hier löschen',
    deleting: 'Wird gelöscht …',
    question: 'Deine Daten hier löschen?',
    yes: 'Alles löschen',
    final: 'Das lässt sich nicht rückgängig machen. Gelöscht werden:',
    sites: 'alle deine Websites und ihre Versionen, bei diesem Dienst',
    addresses: 'deine Adressen, die nach 30 Tagen andere bekommen können, und deine Domains',
    sessions: 'deine Uploads und deine Anmeldungen in allen Browsern',
    inAccount: 'deine Websites und Einstellungen in deinem Konto',
    stay: 'Deine Websites bleiben in deinem Konto.',
  },
}
