import { plurals } from '#web/words/plural.ts'

const plural = plurals('en')

export const sites = {
  title: 'Your sites',
  create: 'New site',
  search: 'Search your sites',
  found: (n: number) => plural(n, 'site', 'sites'),
  noneFound: 'No site matches',
  isNew: 'First publish',
  menu: {
    more: (site: string) => `More for ${site}`,
    open: 'Open site',
    update: 'Update…',
    copy: 'Copy address',
    delete: 'Delete site…',
  },
  empty: {
    text: 'No sites yet. Drop a folder to publish your first one. Sites you published elsewhere appear here automatically.',
    check: 'Check again',
    checking: 'Checking…',
  },
  unused: {
    take: 'Use for a site',
    takeOf: (domain: string) => `Use for a site: ${domain}`,
    title: (domain: string) => `Use ${domain}`,
    site: 'Site',
    yes: 'Use address',
    used: (domain: string, site: string) => `${domain} shows ${site} now.`,
  },
}
