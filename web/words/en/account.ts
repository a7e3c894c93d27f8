import { plurals } from '#web/words/plural.ts'

const plural = plurals('en')

export const account = {
  title: 'Account',
  identity: {
    handle: 'Handle',
    did: 'Permanent ID (DID)',
    server: 'Account server',
    unknown: 'not known',
  },
  identityText:
    'Your files and your identity live at your account server. You can move both without us.',
  usage: {
    title: 'What you use',
    sites: 'Sites',
    bytes: 'Files of all live versions',
    uploads: 'Uploads in the last 24 hours',
    traffic: 'Sent to visitors today',
    of: (used: string, max: string) => `${used} of ${max}`,
    unlimited: (used: string) => `${used}, no limit`,
    failed: 'What you use could not be read.',
  },
  signIns: {
    title: 'Where you’re signed in',
    here: 'This browser',
    unknownDevice: 'Unknown browser',
    lastUsed: 'Last used',
    since: 'Signed in',
    device: 'Browser',
    actions: 'Actions',
    end: 'Sign out',
    endOf: (device: string) => `Sign out ${device}`,
    ended: (device: string) => `${device} is signed out.`,
    endAll: 'Sign out everywhere',
    endAllQuestion: 'Sign out everywhere?',
    endAllText: (n: number) =>
      `This signs you out of ${plural(n, 'browser', 'browsers')}, including this one, and ends the deploy tokens and CI publishers of your sites.`,
    failed: 'Your sign-ins could not be read.',
  },
  appearance: { title: 'Appearance and language', text: 'Only for this browser.' },
  export: {
    title: 'Export your data',
    text: 'One file with everything this service stores about your account: your sites with the names and hashes of their files, addresses, domains, uploads of the last day, deploy tokens, webhooks, and sign-ins. The files themselves are in your account.',
    button: 'Download everything',
  },
  remove: {
    title: 'Delete your data here',
    text: 'Your sites go offline. Your addresses are reserved for you for 30 days. This service keeps only a fingerprint of your account’s ID, so that only signing in brings you back, and log lines of the last 30 days. Your account stays at your own server.',
    records: 'Also delete my sites from my account',
    recordsHint: 'No other service can show them then.',
    button: 'Delete your data here',
    deleting: 'Deleting…',
    question: 'Delete your data here?',
    yes: 'Delete everything',
    final: 'You can’t undo this. It deletes:',
    sites: 'all your sites and their versions, from this service',
    addresses: 'your addresses, which others can get after 30 days, and your domains',
    sessions: 'your uploads, and your sign-ins in all browsers',
    inAccount: 'your sites and settings in your account',
    stay: 'Your sites stay in your account.',
  },
}
