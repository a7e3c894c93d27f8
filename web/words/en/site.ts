export const site = {
  tabs: {
    label: 'Parts of this site',
    overview: 'Overview',
    files: 'Files',
    versions: 'Versions',
    domains: 'Domains',
    settings: 'Settings',
  },
  missing: {
    title: (rkey: string) => `You have no site called ${rkey}`,
    text: 'It may have been deleted, or belong to another account.',
    toSites: 'Go to your sites',
  },
  open: 'Open',
  address: 'address',
  live: 'Live',
  problems: 'Needs a look',
  notLive: 'Not live yet',
}
