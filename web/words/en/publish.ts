import { counts, plurals } from '#web/words/plural.ts'

const count = counts('en')
const plural = plurals('en')
const files = (n: number) => plural(n, 'file', 'files')

export const publish = {
  files,
  unreadable: 'What you chose could not be read. Choose it again.',
  tooManyEntries: (max: number) =>
    `There are over ${max} files and folders in it. Choose the folder that the finished site is in.`,
  fileUnreadable: (path: string) =>
    `“${path}” changed or is gone since you chose it. Choose the folder again.`,
  zip: {
    broken: 'This is not a complete zip file.',
    tooLarge: (max: number) => `There are over ${max} files and folders in this zip.`,
    namesTooLong: 'The names in this zip are too long.',
    overlaps: 'Files of this zip overlap in it.',
    notUtf8: 'A name in this zip is not UTF-8. Make the zip again with another program.',
    drive: (name: string) => `Bad file path “${name}”: it names a drive.`,
    damaged: (name: string) => `“${name}” is damaged in this zip.`,
  },
  brokenOff: 'The connection broke off. Nothing was published; try again.',
  brokenAfter:
    'The connection broke off after the last file. Your site may be published all the same: look at it before you try again.',
  lost: 'Sitehost cannot be reached. Your site may be published all the same: look at it before you try again.',
  neverComplete:
    'The service has no space for this site now. Try again in a few minutes; what it has already is not sent again.',
  needsDeploys: 'This service cannot change single files. Publish the whole folder.',
  nameNotForForms: (path: string) =>
    `This service does not accept file names like “${path}”. Rename the file, without quotation marks.`,
  cancelled: 'Cancelled. Nothing was published.',
  inOtherTab: 'Another tab of this browser is publishing this.',
  otherAccount: (handle: string) =>
    `You are signed in as ${handle}, which is not the account that you entered. Nothing is published before you say so.`,
  broken: 'Something went wrong in this page. Try again.',

  zone: {
    title: 'Drop a folder here',
    another: 'Drop something else here',
    onto: (site: string) => `Drop to publish to ${site}`,
    asNew: 'Drop to publish as a new site',
    found: (n: number) => `Reading… ${files(n)}`,
  },
  chosen: {
    ready: 'Ready',
    title: 'What you chose',
    archive: 'The files in it are published.',
    remove: 'Remove',
    noStartPage: 'There is no index.html, so the address itself will show “page not found”.',
    folder: (folder: string) => `There is no index.html at the top, but there is one in ${folder}.`,
    folderInstead: (folder: string) => `Publish ${folder} instead`,
    page: (page: string) => `There is no index.html, but there is ${page}.`,
    pageInstead: (page: string) => `Make ${page} the start page`,
    isStartPage: (page: string) => `${page} is the start page.`,
    mend: 'Change that in the folder, then choose it again.',
    leftOut: (n: number) => `${plural(n, 'item', 'items')} left out`,
    kept: 'You chose this earlier. It was not published yet.',
    notKept: {
      'too-large': 'This is too large to keep in your browser. Stay on this page until it is sent.',
      'no-room':
        'Your browser has no space to keep this. After you sign in or reload, choose it again.',
      unavailable:
        'Your browser does not keep files for this page. After you sign in or reload, choose them again.',
    },
  },
  form: {
    title: 'Publish',
    siteName: 'Site name',
    rule: 'Letters, digits and dashes',
    replaces: (site: string) => `Replaces your site “${site}”.`,
    removes: (removed: number, present: number, site: string) =>
      `This removes ${count(removed)} of the ${files(present)} of ${site}.`,
    removesUnknown: (site: string) =>
      `The files of ${site} could not be compared with these. This replaces them all.`,
    noName: 'Give the site a name.',
    onlyDots: 'A dot or two dots are no name. Add a letter or a digit.',
    tooLong: (max: number, n: number) => `A name can have ${max} characters; this one has ${n}.`,
    space: 'A name cannot have a space in it.',
    foreign: (char: string) => `A name cannot have “${char}” in it.`,
    chooseFirst: 'Choose a folder or a zip first.',
    cannot: 'These files cannot be published. Choose others.',
    publish: 'Publish',
    replace: (site: string) => `Replace ${site}`,
    tryAgain: 'Try again',
    replaceWith: 'The site changed while you were publishing. Publish again to replace it.',
  },
  progress: {
    title: (site: string) => `Publishing ${site}`,
    read: (n: number, total: number) => `${count(n)} of ${files(total)}`,
    send: (sent: string, total: string) => `${sent} of ${total}`,
    percent: (percent: number) => `${percent} percent`,
    cancel: 'Cancel',
    cancelling: 'Cancelling…',
    close: 'Close',
    stay: 'Keep this tab open until everything is sent.',
    leave: 'You can close this tab. Publishing continues.',
    offline: 'You’re offline. This continues when the connection is back.',
    service: 'The service is busy or restarting. Trying again…',
    server: 'Waiting for your account’s server. This continues automatically.',
    toStart: 'Waiting to start',
    prepared: (n: number, total: number) => `Prepared ${count(n)} of ${files(total)}`,
    stored: (n: number, total: number) => `Stored ${count(n)} of ${files(total)}`,
    writing: 'Writing the new version',
    online: 'Putting it online',
  },
  update: {
    title: (site: string) => `Update ${site}`,
    text: 'Visitors see the whole new version, or still the old one.',
    zone: 'Drop the new version here',
    busy: (site: string) => `${site} is being published. Wait until it is live.`,
    done: (site: string) => `${site} is updated. Live for visitors now.`,
    cancel: (site: string) => `Cancel publishing ${site}`,
    tryAgain: (site: string) => `Try again: ${site}`,
  },
  result: {
    live: 'Your site is live',
    stored: 'Your site is stored',
    soon: 'It goes live in a moment.',
    nothingSent: 'nothing to upload',
    sent: (n: number) => `${count(n)} uploaded`,
    address: 'address',
    open: 'Open',
    qr: 'QR code',
    share: 'Share on Bluesky',
    post: (url: string) => `My site is online: ${url}`,
    preview: (site: string) => `${site} as visitors see it`,
    next: 'What next?',
    manage: 'Go to the site’s page',
    domain: 'Use your own domain',
    terminal: {
      title: 'Publish again from the terminal',
      signIn: 'Sign in once, in your browser:',
      publish: 'In the folder of your site:',
      command: 'command',
      more: 'All commands',
    },
    another: 'Publish another',
    noHistory: 'This version is not in the site’s history:',
  },
}
