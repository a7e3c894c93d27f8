import { plurals } from '#web/words/plural.ts'

const plural = plurals('en')

export const shell = {
  skip: 'Skip to the content',
  home: (name: string) => `${name}, start page`,
  sites: 'Your sites',
  allSites: 'All sites',
  chooseSite: (current: string) => `${current}: choose a site`,
  moreSites: (n: number) => plural(n, 'more site', 'more sites'),
  newSite: 'New site',
  account: 'Account',
  accountOf: (handle: string) => `Account: ${handle}`,
  yourAccount: 'Your account',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedOut:
    'You’re signed out. Sign in again in another tab, then save here: what you changed is still there.',
  signOutFailed: 'You are still signed in: Sitehost could not be reached. Try again.',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  language: 'Language',
  offline: 'You’re offline. What you see may be out of date.',
  online: 'You’re back online.',
  stale: 'Couldn’t refresh. This may be out of date.',
  tryAgain: 'Try again',
  dismiss: 'Dismiss',
  notices: 'Notices',
  footer: 'About this service',
  contact: 'Contact',
  terms: 'Terms',
  privacy: 'Privacy',
  api: 'API',
  loading: 'Loading…',
  notLoaded: {
    title: 'This page couldn’t be loaded',
    text: 'Check your connection, then reload the page.',
    part: 'This couldn’t be loaded. Check your connection and try again.',
  },
  crashed: {
    title: 'This page stopped working',
    text: 'Reload it to continue. If that doesn’t help, tell the people who run this service what you did.',
    reload: 'Reload the page',
    details: 'What went wrong',
  },
}
