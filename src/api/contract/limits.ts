/** Of a body of JSON for which a route says nothing else. */
export const jsonBytesMax = 64 * 1024
/** Settings with every field at its limit, each byte escaped. */
export const settingsJsonBytesMax = 512 * 1024

/** Sign-ins in progress that ask a server, so that forty networks, each with all that it may have, leave some. */
export const signInsBeginningMax = 128
/** Whoever comes back from the account's server does not wait behind those that begin. */
export const signInsCompletingMax = 48

/** Uploads of one account that may be arriving at a time, so that none takes everybody's space. */
export const uploadsArrivingMax = 5

/** Of an archive of a version: without its extension for 64 bits a zip holds no more; the rest of it is for names. */
export const zipContentBytesMax = 4_000_000_000

/** What a deploy is to contain, as JSON: twenty thousand paths of usual length. */
export const deployJsonBytesMax = 4 * 1024 * 1024
/** Open deploys of one account. */
export const openDeploysMax = 10
/** Files of one deploy that may be arriving at a time. */
export const deployFilesAtOnce = 8

/** Deploy tokens of one site that have not expired. */
export const deployTokensMax = 20
export const deployTokenNameCharsMax = 60

/** CI jobs that may deploy one site. */
export const publishersMax = 20
export const exchangedTokenMinutes = 15
/** Of one site at a time. */
export const exchangedTokensMax = 50

/** Of one account. */
export const webhooksMax = 20
/** Records of another network that are listed. */
export const foreignWebhooksMax = 100
export const deliveriesOfPage = 50
/** How long deliveries are signed with the secret before, too. */
export const formerSecretHours = 24

/** Days of which visits are kept. */
export const visitDaysMax = 90
/** Pages and referrers of a site that are listed. */
export const visitRowsMax = 100

export const hourMs = 60 * 60 * 1000

/** Owners whose server is gone can still delete accounts: no grant check is needed after failed attempts for this long. */
export const grantAwayMsMin = 72 * hourMs
export const grantAwayHours = grantAwayMsMin / hourMs

/** Of the limits below. */
export const limitWindowMs = 10 * 60 * 1000

/** Requests in ten minutes; beyond them, 429. */
export interface RateLimit {
  /** As error messages name them. */
  readonly what: string
  /** For a client's network, which may be a school or a village. */
  readonly perClient: number
  /** For an account, where one is signed in. */
  readonly perAccount?: number
}

/** What one client and one account may request in ten minutes (decisions.md §1). */
export const rateLimits = {
  /** Each asks the DNS, the directory and a server that somebody names. */
  signIn: { what: 'sign-ins from your network', perClient: 60 },
  callback: { what: 'sign-ins from your network', perClient: 120 },
  claim: { what: 'names claimed or renamed', perClient: 200, perAccount: 30 },
  customAdd: { what: 'domains added', perClient: 300, perAccount: 150 },
  /** Each asks the DNS a few times. */
  verify: { what: 'domains verified', perClient: 300, perAccount: 100 },
  /** By count; the spool limits the bytes. */
  upload: { what: 'uploads', perClient: 2000, perAccount: 300 },
  /** Begun or committed; beginning one reads the account's records from its server. */
  deploy: { what: 'deploys', perClient: 2000, perAccount: 300 },
  deployFile: { what: 'files of deploys', perClient: 100_000, perAccount: 20_000 },
  /** Each created one is a row, and is confirmed by the account's server. */
  token: { what: 'deploy tokens listed or changed', perClient: 600, perAccount: 200 },
  webhook: { what: 'webhooks listed or changed', perClient: 600, perAccount: 300 },
  /** Each is a request to a server that somebody names. */
  webhookDelivery: { what: 'deliveries requested', perClient: 200, perAccount: 60 },
  /** Each asks the account's server. */
  foreignWebhook: {
    what: 'webhooks of other networks listed or brought over',
    perClient: 600,
    perAccount: 200,
  },
  /** Each may ask a forge for its keys. */
  exchange: { what: 'tokens of CI jobs exchanged', perClient: 600 },
  /** Each reads a whole account from its server. */
  sync: { what: 'syncs of your sites', perClient: 100, perAccount: 20 },
  /** Each asks the account's server. */
  settings: { what: 'settings read or saved', perClient: 600, perAccount: 200 },
  /** Each writes to the account's repository. */
  bringOver: { what: 'sites brought over', perClient: 600, perAccount: 100 },
  versionChange: { what: 'versions changed', perClient: 600, perAccount: 200 },
  /** The same, by jobs whose branch is gone. */
  previewForget: { what: 'previews forgotten', perClient: 600, perAccount: 200 },
  /** Each may be a megabyte. */
  versionList: { what: 'lists of versions and their files', perClient: 2000, perAccount: 1000 },
  /** Each compiles the rules of a site. */
  explain: { what: 'addresses explained', perClient: 2000, perAccount: 1000 },
  /** Somebody who edits a site opens many files; each reads a snapshot of several megabytes. */
  versionFile: { what: 'files of versions', perClient: 2000, perAccount: 1000 },
  /** Each may be a whole site. */
  archive: { what: 'archives', perClient: 300, perAccount: 100 },
  /** Each may be a megabyte. */
  list: { what: 'lists of your sites and domains', perClient: 2000, perAccount: 1000 },
  /** Each may add up some ten thousand rows. */
  visits: { what: 'lists of visits', perClient: 2000, perAccount: 1000 },
  /** Each is read by a person. */
  report: { what: 'reports from your network', perClient: 10 },
  pageError: { what: 'page errors from your network', perClient: 30 },
  /** Each holds all data of an account. */
  export: { what: 'exports', perClient: 100, perAccount: 30 },
} satisfies Record<string, RateLimit>

/** Tokens of programs that do not work, which count when they are refused. */
export const refusedTokens: RateLimit = {
  what: 'refused tokens from your network',
  perClient: 200,
}

export type RateLimitName = keyof typeof rateLimits
