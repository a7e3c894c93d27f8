import { plurals } from '#web/words/plural.ts'

const plural = plurals('de')

export const sites = {
  title: 'Deine Websites',
  create: 'Neue Website',
  search: 'Websites durchsuchen',
  found: (n: number) => plural(n, 'Website', 'Websites'),
  noneFound: 'Keine Website passt',
  isNew: 'Erste Veröffentlichung',
  menu: {
    more: (site: string) => `Mehr für ${site}`,
    open: 'Website öffnen',
    update: 'Aktualisieren …',
    copy: 'Adresse kopieren',
    delete: 'Website löschen …',
  },
  empty: {
    text: 'Noch keine Websites. Zieh einen Ordner hierher, um die erste zu veröffentlichen. Anderswo veröffentlichte Websites erscheinen hier automatisch.',
    check: 'Noch einmal nachsehen',
    checking: 'Wird nachgesehen …',
  },
  unused: {
    take: 'Für eine Website verwenden',
    takeOf: (domain: string) => `Für eine Website verwenden: ${domain}`,
    title: (domain: string) => `${domain} verwenden`,
    site: 'Website',
    yes: 'Adresse verwenden',
    used: (domain: string, site: string) => `${domain} zeigt jetzt ${site}.`,
  },
}
