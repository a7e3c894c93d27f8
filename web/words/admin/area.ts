/** What the frame of the administrator’s area says, and its first pages. */
export const areaWords = {
  adminSession: {
    signedOut: 'You are signed out.',
    failed: 'That did not work. Try again.',
    ended: 'Your session has ended. Sign in to go back to where you were.',
  },
  caches: {
    title: 'In memory for visitors',
    table: 'Entries and sizes',
  },
  instances: {
    title: 'Instances',
    table: 'Instances that share the database',
  },
  overviewPage: {
    title: 'Overview',
    loading: 'Loading…',
  },
  pageAt: {
    title: 'Page not found',
    text: 'There is no page at this address. Choose one of the navigation, or go to the',
    overview: 'overview',
  },
  signInPage: {
    title: 'Administration',
    name: 'Name',
    password: 'Password',
    busy: 'Signing in…',
    added: 'Administrators are added on the server:',
    command: 'sitehost admin add',
    failed: 'That did not work. Try again.',
    wrong: 'Name or password is wrong.',
  },
}
