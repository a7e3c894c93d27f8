import { counts, plurals } from '#web/words/plural.ts'

const count = counts('en')
const plural = plurals('en')

export const site = {
  danger: {
    title: 'Delete this site',
    text: 'It goes offline at once and is deleted from your account, with its versions and settings.',
    addresses: (names: string) =>
      `Your addresses stay yours, and show nothing until you choose another site: ${names}.`,
    button: (site: string) => `Delete ${site}`,
    question: (site: string) => `Delete ${site}?`,
    final: 'You can’t undo this.',
    deleting: 'Deleting…',
    deleted: (site: string) => `${site} is deleted.`,
  },
  explain: {
    title: 'Explain this address',
    intro: 'Type an address of this site to see what visitors get there, and why.',
  },
  tabs: {
    label: 'Parts of this site',
    overview: 'Overview',
    files: 'Files',
    versions: 'Versions',
    domains: 'Domains',
    visits: 'Visits',
    settings: 'Settings',
  },
  missing: {
    title: (rkey: string) => `You have no site called ${rkey}`,
    text: 'It may have been deleted, or belong to another account.',
    toSites: 'Go to your sites',
  },
  open: 'Open',
  update: 'Update',
  address: 'address',
  qr: 'Show QR code',
  qrTitle: (host: string) => `QR code of ${host}`,
  qrText: 'Point the camera of a phone at it to open the site.',
  overview: {
    lastVersion: 'Last version',
    allVersions: 'All versions',
    allDomains: 'Manage domains',
    permanent: 'Permanent address',
    permanentName: 'the permanent address',
    neverLive: 'No version has gone live yet.',
    files: (n: number) => plural(n, 'file', 'files'),
    changed: (n: number) => (n === 0 ? 'nothing changed' : `${count(n)} changed`),
  },
  proof: {
    title: 'Proof',
    verified: 'Signature verified',
    none: 'Nothing to verify yet',
    signer: 'Signed by',
    record: 'Record',
    recordAddress: 'the address of the record',
    cid: 'Content hash',
    command: 'Check it yourself',
    commandName: 'the command',
    text: 'The record is in your account, and your account signs it. Anybody can check that without us.',
  },
  problemsOf: (n: number) => plural(n, 'problem', 'problems'),
  notices: {
    live: { title: 'Live, with something to fix', text: 'The rest of the site works.' },
    unread: {
      title: 'Waiting for your account’s server',
      text: 'The newest version could not be read completely yet.',
    },
    refused: { title: 'The newest version was refused', text: 'Fix this and publish again.' },
    offline: { title: 'This site was taken offline', text: 'Visitors don’t see it.' },
    olderIsLive: 'Visitors still see the version before it.',
  },
  states: {
    live: 'Live',
    problems: 'Needs a look',
    unread: 'Waiting for your server',
    refused: 'Refused',
    offline: 'Taken offline',
  },
}
