import { plurals } from '#web/words/plural.ts'

const plural = plurals('en')

export const versions = {
  title: 'Versions',
  intro:
    'Every publish is kept in your account. Go back to one at any time: nothing is uploaded again.',
  empty: {
    title: 'No history yet',
    text: 'Your next publish starts it.',
    signIn: 'If you signed in before Sitehost kept versions, sign out and in again to allow it.',
  },
  list: 'Versions of this site',
  states: {
    live: 'Live',
    replaced: 'Replaced',
    preview: 'Preview',
    refused: 'Refused',
    expired: 'Expired',
  },
  untitled: 'Published',
  untitledPreview: 'Preview',
  files: (n: number) => plural(n, 'file', 'files'),
  pinned: 'Pinned',
  byOther: 'by another program',
  until: (when: string) => `until ${when}`,
  address: 'the permanent address',
  previewAddress: 'the preview address',
  openVersion: 'Open this version',
  more: (what: string) => `More for ${what}`,
  showOlder: 'Show older versions',
  problems: 'What to fix',

  changes: {
    summary: 'What changed',
    none: 'No file and no setting changed.',
    first: 'This is the oldest version. There is nothing to compare it with.',
    loading: 'Comparing…',
    added: 'Added',
    changed: 'Changed',
    removed: 'Removed',
    setting: 'Setting',
    moreFiles: (n: number) => `and ${plural(n, 'more file', 'more files')}`,
    showMore: 'Show more files',
    notSet: 'not set',
  },

  restore: 'Restore',
  promote: 'Publish',
  restoring: 'Restoring…',
  restored: (site: string) => `${site} is back at this version.`,
  promoted: (site: string) => `The preview is live as ${site}.`,
  undo: 'Undo',
  undone: 'Undone.',
  restoreFailed: (why: string) => `Not restored. ${why}`,

  pin: 'Pin, so that it is always kept',
  unpin: 'Unpin',
  pinnedNow: 'Pinned. It is kept until you unpin it.',
  unpinnedNow: 'Unpinned. It goes when 10 newer ones exist.',
  editMessage: 'Describe this version',
  message: 'Description',
  messageHint: 'Up to 300 characters. It is public, in your account.',
  saveMessage: 'Save description',
  download: 'Download as zip',
  copyAddress: 'Copy permanent address',

  forget: 'Forget everywhere…',
  forgetTitle: 'Forget this version?',
  forgetYes: 'Forget this version',
  forgetText:
    'Its record and every file that only this version has are deleted from your account and from here. Its address stops working. You can’t undo this.',
  receipt: {
    title: 'Forgotten',
    text: (files: number, bytes: string) =>
      `${plural(files, 'stored file', 'stored files')} (${bytes}) that nothing else used are gone from here and from your account.`,
    records: 'Deleted records',
    close: 'Close',
  },
}
