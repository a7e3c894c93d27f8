/** What the lists and pages of the administrator’s area say. Administrators read English. */
export const listsWords = {
  accountActions: {
    bringBack: 'Bring back',
    broughtBack: (name: string) => `The sites of ${name} are back.`,
    bringBackSays:
      'Visitors get the account’s sites again. Sites that were taken offline one by one stay offline.',
    bringBackTitle: (name: string) => `Bring ${name} back?`,
    takeOfflineSays:
      'Visitors stop getting all sites of the account at once, and later ones too. The account’s own repository is not touched.',
    takeOfflineTitle: (name: string) => `Take all sites of ${name} offline?`,
    takenOffline: (name: string) => `All sites of ${name} are offline.`,
    endSessions: 'End sessions',
    sessionsEnded: (name: string) => `${name} is signed out everywhere.`,
    endSessionsSays:
      'The account is signed out of all browsers. Its sites stay online, and it may sign in again.',
    endSessionsTitle: (name: string) => `End all sessions of ${name}?`,
  },
  accountPage: {
    allAccounts: 'All accounts',
    loading: 'Loading…',
    sites: 'Sites',
    domains: 'Domains',
    uploads: 'Uploads',
    none: 'None.',
  },
  accountsPage: {
    empty: 'No accounts yet.',
    searchIn: 'A part of a handle or DID.',
    title: 'Accounts',
  },
  allowListPage: {
    empty: 'No account is on the list.',
    searchIn: 'The beginning of a handle or a DID.',
    title: 'Allow list',
    add: 'Add account',
    added: (account: string) => `${account} is on the list.`,
    addSays: 'The account may sign in from now on. A DID stays the same when its handle changes.',
    addTitle: 'Add an account to the list?',
    account: 'Handle or DID',
    accountSample: 'alice.example.com',
    remove: 'Remove',
    removed: (account: string) => `${account} is no longer on the list.`,
    removeSays:
      'Unless everybody may sign in, the account is signed out at its next request and cannot sign in again. Its sites stay online.',
    removeTitle: (account: string) => `Remove ${account} from the list?`,
  },
  auditPage: {
    empty: 'No administrator has done anything yet.',
    searchIn: 'A part of who, what, to what or why.',
    title: 'Audit',
  },
  certificateWord: {
    validNotRenewed: 'Valid, not renewed',
  },
  domainColumns: {
    ours: 'Ours',
    waitingForDns: 'Waiting for DNS',
    verifiedWarned: 'Verified, warned',
    verified: 'Verified',
  },
  domainDetail: {
    check: 'Check again',
    isVerified: (domain: string) => `${domain} is verified.`,
    isNotVerified: (domain: string) => `${domain} is not verified.`,
    checkSays: 'The domain’s records are looked up now, as the daily check does.',
    checkTitle: (domain: string) => `Check ${domain} again?`,
    takeBack: 'Take back',
    takenBack: (domain: string) => `${domain} is free again.`,
    takeBackSays:
      'The name is taken from its account and shows nothing. Anybody can have it at once.',
    takeBackTitle: (domain: string) => `Take ${domain} back?`,
  },
  domainsPage: {
    empty: 'No names yet.',
    searchIn: 'A part of the name, or its owner’s whole DID.',
    title: 'Domains',
  },
  errorsPage: {
    empty: 'No errors. That is as it should be.',
    searchIn: 'A part of the message, or of the facts, the stack or a trace of its last time.',
    title: 'Errors',
    lastRequests: 'Last requests',
    lastRequestsTitle: 'Last requests that had it',
  },
  invitationDetail: {
    revoke: 'Revoke',
    revoked: 'The invitation is revoked.',
    says: 'Nobody can use this invitation any more. Accounts that have signed in stay.',
    title: 'Revoke this invitation?',
  },
  invitationsPage: {
    empty: 'No invitations yet.',
    title: 'Invitations',
    used: 'Used',
    expired: 'Expired',
    open: 'Open',
  },
  inviteDialog: {
    invite: 'Invite',
    created: 'The invitation is created.',
    says: 'You get an address for one guest. The account that signs in with it is on the allow list from then on.',
    title: 'Invite a guest?',
    days: 'Days until it ends',
    newInvitation: 'New invitation',
    send: 'Send this address to your guest. It is shown only now, and works once, until',
  },
  jobDetail: {
    cancel: 'Cancel upload',
    cancelled: 'The upload is cancelled.',
    says: 'Nothing of it is published, and its owner reads the reason. The site that is online stays.',
    title: 'Cancel this upload?',
  },
  jobsPage: {
    empty: 'No uploads in the last day.',
    searchIn: 'A part of an upload’s id, its owner’s DID, its site’s name or its error.',
    title: 'Jobs',
  },
  limitsDialog: {
    set: 'Set limits',
    told: (name: string) => `The limits of ${name} are set.`,
    says: 'These limits take the place of the settings’ for this account. An empty field is the setting’s. What is there already stays.',
    title: (name: string) => `Set the limits of ${name}?`,
    sites: 'Sites',
    megabytes: 'Megabytes',
    uploadsADay: 'Uploads a day',
  },
  reportDetail: {
    close: 'Close report',
    closed: 'The report is closed.',
    says: 'Closing a report does nothing to the site: to take it offline, go to its page first.',
    title: 'Close this report?',
    outcome: 'Outcome',
    outcomeSample: 'Taken offline, nothing wrong, …',
  },
  reportsPage: {
    empty: 'No reports. Visitors report a site at /report.',
    searchIn:
      'A part of what it says, of the address, the site or the outcome; or the account’s whole DID.',
    title: 'Reports',
  },
  siteActions: {
    bringBack: 'Bring back',
    broughtBack: (rkey: string) => `${rkey} is back.`,
    bringBackSays: 'Visitors get the site again, in its latest version.',
    bringBackTitle: (rkey: string) => `Bring ${rkey} back?`,
    takeOfflineSays:
      'Visitors stop getting the site at once, at all of its addresses; later versions stay offline too. The owner’s own repository is not touched, and the owner reads the reason.',
    takeOfflineTitle: (rkey: string) => `Take ${rkey} offline?`,
    takenOffline: (rkey: string) => `${rkey} is offline.`,
    read: 'Read again',
    isRead: (rkey: string) => `${rkey} is being read again.`,
    readSays: 'The site is read from its owner’s server now, also where that was given up.',
    readTitle: (rkey: string) => `Read ${rkey} again?`,
    verify: 'Verify files',
    verified: (files: number, damaged: number) =>
      `${files} files were read; ${damaged} were damaged or missing and are fetched again.`,
    verifySays:
      'Every stored byte of the live version is read and compared with its hash; what is damaged is fetched again.',
    verifyTitle: (rkey: string) => `Verify the files of ${rkey}?`,
    purge: 'Purge files',
    purged: (removed: number, kept: number) =>
      `${removed} stored files were removed; ${kept} are kept, for other sites have them too.`,
    purgeSays:
      'The stored copies that only this site has are removed from this server. Unless the site is offline, visitors cause them to be fetched again.',
    purgeTitle: (rkey: string) => `Purge the stored files of ${rkey}?`,
  },
  sitePage: {
    allSites: 'All sites',
    loading: 'Loading…',
    accountIsOffline: 'The whole account is offline. Bring it back at',
    problems: 'Problems',
    noVersions: 'No version was read yet.',
    versions: 'Versions',
    noUploads: 'None in the last day.',
    uploads: 'Uploads',
  },
  siteState: {
    givenUp: 'Given up',
  },
  sitesPage: {
    empty: 'No sites yet.',
    searchIn: 'A part of a site’s name or its owner’s DID, or the beginning of a handle or domain.',
    title: 'Sites',
  },
  takeOffline: {
    label: 'Take offline',
    visitorsGet: 'Visitors get',
    status451: '451: taken offline for legal reasons',
    status404: '404: as if there were no site',
  },
  logDetail: {
    stack: 'Stack',
  },
  logsPage: {
    empty: 'No entries yet.',
    searchIn: 'All of these words; a DID, host, job or trace id as it is.',
    title: 'Logs',
  },
  useFollowedLog: {
    ended: 'The log cannot be followed now: too many do already. Pause, and try again later.',
  },
}
