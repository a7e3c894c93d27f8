import { byteText } from '#site/byte-text.ts'
import {
  customDomainsMax,
  keptSubdomainMs,
  keptSubdomainsMax,
  pendingDomainsMax,
  tooManySites,
  uploadBytesPerSecondMin,
  uploadMsMax,
  uploadPaceMs,
} from '#site/limits.ts'
import { openReportsOfNetworkMax } from '#store/moderation/reports.ts'
import {
  deployFilesAtOnce,
  deployTokensMax,
  exchangedTokensMax,
  grantAwayHours,
  openDeploysMax,
  publishersMax,
  uploadsArrivingMax,
  webhooksMax,
  zipContentBytesMax,
} from './limits.ts'

export const keptDays = keptSubdomainMs / 86_400_000

/** Messages that interface.md or decisions.md specifies. Clients may compare with them: they never change. */
export const literals = {
  authenticationFailed: 'Authentication failed',
  crossOrigin: 'Cross-origin request refused',
  deployNotFound: 'Deploy not found',
  domainNotFound: 'Domain not found',
  domainParameter: 'Domain parameter required',
  hostingUnavailable: 'Hosting service unavailable',
  internalError: 'Internal error',
  invalidCredentials: 'Invalid credentials',
  jobNotFound: 'Job not found',
  logoutFailed: 'Logout failed',
  noCacheStats: 'Failed to fetch cache stats from hosting service',
  notFound: 'Not found',
  oneMode: 'Only one of spaMode, directoryListing, or custom404 can be enabled',
  siteDeleted: 'Site deleted successfully',
  siteNotFound: 'Site not found',
  unauthorized: 'Unauthorized',
} as const

/** For the person at the screen. They may change at any time. */
export const sentences = {
  siteOfOtherNetwork:
    'This site belongs to another network and can only be read here. Bring it over to change it here.',
  siteNameTaken: 'You have a site of this name already. Choose another name.',
  accountInactive: 'Your account is not active on its server. Its sites are not shown until it is.',
  changedMeanwhile: 'This site was changed by another program meanwhile. Try again.',
  recordsChanged: 'Your records were changed by another program meanwhile. Try again.',
  somethingPublished:
    'A site of yours is being published. Wait until that has finished, or cancel it.',
  accountNotFound: 'That account is not known here.',
  badCursor: 'cursor: expected one that this list has answered with',
  grantUnconfirmed: `Your account’s server did not confirm your sign-in, which this needs. Try again in a few minutes. If that server stays away, this works without it ${grantAwayHours} hours after the first try.`,
  signInNotFound: 'That sign-in has ended already.',
  serverBusy: 'Your account’s server takes no more changes for now. Try again later.',
  // It does not say whether a change was made: the lost answer would have said so.
  serverUnanswered: 'Your account’s server did not answer. Try again in a few minutes.',
  serverFault: 'Your account’s server has a fault at the moment. Try again in a few minutes.',
  restarting: 'Sitehost is restarting. Try again in a minute.',
  storageAway: 'Storage is unavailable. Try again in a moment.',
  exportRunning: 'An export of yours is on its way already. Wait until it has ended.',
  listsBusy: 'Too many lists of your sites are being made. Try again in a few seconds.',
  syncsBusy: 'Too many accounts are being read right now. Try again in a minute.',

  handleMissing: 'Enter a handle, such as alice.bsky.social.',
  notAnAccountName:
    'That is not a handle or the address of a server. Enter the whole handle, such as alice.bsky.social.',
  unknownHandle:
    'That handle does not exist, and no account server is at that address. Check the spelling.',
  unknownAccount: 'That account does not exist.',
  signInUnreachable:
    'That server did not answer. Check the address, or try again in a few minutes.',
  signInRefused: 'That server refused to start a sign-in. Try again in a few minutes.',
  signInBroken: 'Something went wrong here. Try again in a minute.',

  signInServerBusy: 'Too many sign-ins at that server are in progress. Try again in a few seconds.',
  signInsBusy: 'Too many sign-ins are in progress. Try again in a few seconds.',
  exchangesBusy: 'Too many tokens of this account are being exchanged. Try again in a few seconds.',
  requestsBusy:
    'Sitehost has too many requests to other servers in progress. Try again in a few seconds.',

  adminSignInsBusy: 'Too many people sign in right now. Try again in a few seconds.',
  purgeRunning: 'Another purge is running. Wait until it has ended.',
  notTakenDown:
    'That is not taken down on its own. A takedown of its account counts for all its sites.',
  notAnAccount: 'account: expected a DID, or a handle such as alice.example.com',
  allowedFull: 'The list of accounts is full. Remove some first.',
  invitationsFull: 'Too many invitations are open. Revoke some first.',
  invitationNotFound: 'There is no such open invitation.',
  reportNotFound: 'There is no such open report.',
  reportElsewhere:
    'No site of this service is at that address. Copy the address of the page from your browser.',
  reportsOfNetwork: `${openReportsOfNetworkMax} reports from your network are waiting to be read. Try again tomorrow.`,
  reportsFull: 'Too many reports are waiting to be read. Try again tomorrow.',

  notClaimable:
    'handle: 3 to 63 letters (a to z), digits and single hyphens between them, and not a name that is reserved',
  nameTaken: 'That name is taken.',
  namesKept: `You have given up ${keptSubdomainsMax} names within ${keptDays} days, and all of them are kept for you. Take one of them back, or wait until the ${keptDays} days of the first one are over.`,
  severalNames: 'domain: you have several names, specify the one to rename',
  notADomain:
    'domain: expected a name such as www.example.com, without https:// and without a path',
  publicSuffix: 'domain: nobody owns this one; people register names below it',
  specialUse: 'domain: names that end like this are not in the public DNS',
  ourOwnName: 'domain: this is a name of the service itself; choose one below it instead',
  verifiedElsewhere:
    'Another account has verified this domain. It can be added some days after its TXT record no longer names that account.',
  pendingDomains: `At most ${pendingDomainsMax} domains can wait to be verified. Verify or delete one first.`,
  domainLimit: `An account can have ${customDomainsMax} domains. Delete one first.`,
  primaryUnverified: 'domain: this one is not verified, so visitors cannot be sent to it',
  primaryElsewhere: 'domain: this one does not show the site; choose the site for it first',
  lookUpsBusy: 'Other domains are being checked. Try again in a few seconds.',

  versionNotFound: 'This site has no such version.',
  filesNotKept: 'The files of this version are not stored here any more.',
  notAddressOfSite: 'address: expected a path, such as /about, or an address of this site',
  fileNotFound: 'This version has no such file.',
  filesBusy: 'Too many files of yours are on their way. Try again in a few seconds.',
  previewsOnly: 'Only a preview has an alias and a time at which it expires.',
  noVersionRecord: 'No version record describes this version, so there is nothing to change.',
  versionRefused: 'This version was refused, so it cannot go live. Its problems say why.',
  versionIsLive: 'This version is live. Make another one live first, or delete the site.',
  forgetsRunning: 'Too many versions are being forgotten. Try again in a few seconds.',
  archiveRunning: 'An archive of yours is on its way already. Wait until it has ended.',
  archiveTooLarge: `A zip holds at most ${byteText(zipContentBytesMax)}, and this version has more.`,

  beingPublished: 'This site is being published. Wait until that has finished, or cancel it.',
  publishedAlready: 'This site is being published already. Wait until that has finished.',
  bodyTooSlow: 'body: it took too long to arrive. Try again on a faster connection.',
  uploadsWaiting: 'Too many uploads are waiting. Try again when one has finished.',
  uploadsArriving: `You already have ${uploadsArrivingMax} uploads in progress. Wait for one to finish.`,
  archivesBusy:
    'Too many archives are being unpacked. Try again in half a minute, or send the files themselves.',
  uploadsBusy: 'Too many uploads are under way. Try again in half a minute.',
  uploadTooSlow: `This upload arrived too slowly: less than ${byteText(uploadBytesPerSecondMin)} a second for ${uploadPaceMs / 1000} seconds. Try again on a faster connection.`,
  uploadTooLong: `This upload took more than ${uploadMsMax / 3_600_000} hours to arrive. Try again on a faster connection, or publish less.`,
  uploadGaveWay:
    'Others wait for space, and this upload was the slowest. Try again in a minute, on a faster connection if there is one.',
  siteLimit: tooManySites,
  badSiteName: 'rkey: 1 to 512 letters, digits or . _ ~ : - and not a dot or two dots',
  baseMissing: '"remove" and "into" need a base: send "base": "live" with them.',
  baseChanged:
    'This site has changed since the deploy began. Nothing was published; begin again from what is live now.',
  deploysOpen: `You already have ${openDeploysMax} open deploys. Commit or delete one first.`,
  deploysBusy: 'Too many deploys are beginning. Try again in a few seconds.',
  deployChanged: 'This deploy has just changed. Read it, then go on.',
  deployCommitted: 'This deploy is committed already.',
  deployFilesArriving: `${deployFilesAtOnce} files of this deploy are arriving already. Wait for one to arrive.`,
  filesMissing:
    'Some files of this deploy have not arrived. Send what is missing, then commit again.',
  tokenUnknown:
    'This deploy token is not known here. It is incomplete, of another Sitehost, or ended long ago. Create a new one in the settings of the site.',
  tokenExpired: 'This deploy token has expired. Create a new one in the settings of the site.',
  tokenRevoked: 'This deploy token was revoked. Create a new one in the settings of the site.',
  tokenSignedOut:
    'This deploy token ended with the sign-in of the site’s owner. Sign in again, and create a new one in the settings of the site.',
  serviceTokenInvalid:
    'This token was not signed by the server of its account. Ask that server for a new one.',
  serviceTokenForOthers:
    'This token is for another service or another purpose (aud, lxm). Ask your account’s server for one for this Sitehost.',
  serviceTokenExpired:
    'This token has expired, or works for more than five minutes (exp). Ask your account’s server for a new one.',
  serviceTokenUsed: 'This token was used before. Ask your account’s server for a new one.',
  serviceTokenOfNobody:
    'This account is not signed in here. Sign in at this Sitehost with a browser once, then try again.',
  identityUnanswered: 'The key of this account cannot be looked up now. Try again later.',
  tokenElsewhere:
    'Deploy tokens are for deploys alone. This needs somebody who is signed in as the owner.',
  tokenOfOtherSite: 'This deploy token is of another site.',
  tokenForPreviews:
    'This deploy token may make previews alone: send "preview" with the deploy, or use one that may publish.',
  tokensMax: `A site can have ${deployTokensMax} deploy tokens. Revoke one first.`,
  tokenNotFound: 'This site has no such deploy token.',
  publisherTooWide:
    'A publisher that may deploy needs a ref or an environment: else every branch of the repository could publish.',
  issuerInsecure: 'issuer: expected an https address',
  publishersMax: `A site can have ${publishersMax} publishers. Remove one first.`,
  publisherNotFound: 'This site has no such publisher.',
  notIdToken: 'token: expected an OpenID Connect token of a forge, signed with RS256 or ES256',
  noPublisherOf: (claim: string, value: string): string =>
    `${claim}: no publisher of this site lists "${value}". Check the account, the site and its publishers.`,
  environmentCase: (ofJob: string, listed: string): string =>
    `environment: the job has "${ofJob}", the publisher lists "${listed}". GitLab takes these for two environments: spell both alike.`,
  idTokenNotSigned: 'The token’s signature is of no key that its issuer publishes.',
  idTokenForOthers: (origin: string): string =>
    `aud: this token is not for this service alone. Ask the forge for one for ${origin}.`,
  idTokenExpired: 'exp: this token has expired. Ask the forge for a new one.',
  idTokenTooEarly: 'nbf, iat: this token is from the future. Check the clocks.',
  idTokenTooLong: 'exp: this token works for more than 24 hours. Ask the forge for a shorter one.',
  idTokenUsed: 'This token was exchanged before. Ask the forge for a new one.',
  exchangedMax: `${exchangedTokensMax} deploy tokens of jobs are in use for this site. Try again in a few minutes.`,
  issuerUnanswered:
    'The forge that issued this token did not send its keys. Try again in a minute.',
  webhooksMax: `You already have ${webhooksMax} webhooks. Remove one first.`,
  webhookNotFound: 'You have no such webhook.',
  webhookListsBusy: 'Too many lists of your webhooks are being made. Try again in a few seconds.',
  foreignWebhookNotFound: 'Your account has no such webhook of a network that is served here.',
  foreignWebhookUnreadable: 'This record is not a webhook that its network would use.',
  foreignWebhookOtherAccount:
    'This webhook is about another account. Webhooks of Sitehost are about your own sites.',
  foreignWebhookNotAboutSites:
    'This webhook is about other records than sites, which Sitehost does not follow.',
  foreignWebhookPresent: 'You have a webhook with this URL for the same sites already.',
  deliveryNotFound: 'This webhook has no such delivery.',
  deliveriesMax: 'Too many deliveries of this webhook are waiting. Wait until some have ended.',
  webhookNoUrl: 'url: expected an address such as https://hooks.example.com/sitehost',
  webhookNoHttps: 'url: expected an https address',
  webhookCredentials:
    'url: expected no name and password. Deliveries are signed: check the signature instead.',
  webhookPort: 'url: expected no port: deliveries go to port 443 alone.',
  webhookPrivate: 'url: expected a host that the Internet reaches',
  notOfDeploy: 'This deploy has no file with that SHA-256.',
  unknownCoding: 'Content-Encoding: send the bytes as they are, or with gzip.',
  noRoom: 'This service has no room for uploads at the moment. Try again later.',
  senderGone: 'The connection broke off. Nothing was published.',
  noForm: 'body: expected multipart/form-data',
  tooLateToCancel: 'Too late to cancel: the site is being written already.',
  uploadEnded: 'This upload has ended already.',
  streamsOpen: 'Too many streams are open.',
  logStreamsOpen: 'Too many people follow the log. Try again later.',
} as const

/** By what is wrong with the token of a CI job. */
export const claimSentences = (origin: string) => ({
  audience: sentences.idTokenForOthers(origin),
  expired: sentences.idTokenExpired,
  'too-early': sentences.idTokenTooEarly,
  'too-long': sentences.idTokenTooLong,
})

/** By what is wrong with the URL of a webhook. */
export const webhookUrlSentences = {
  'no-url': sentences.webhookNoUrl,
  'no-https': sentences.webhookNoHttps,
  credentials: sentences.webhookCredentials,
  port: sentences.webhookPort,
  private: sentences.webhookPrivate,
} as const

/** By why a webhook of another network cannot be brought over. */
export const foreignWebhookSentences = {
  unreadable: sentences.foreignWebhookUnreadable,
  'other-account': sentences.foreignWebhookOtherAccount,
  'not-about-sites': sentences.foreignWebhookNotAboutSites,
} as const

/** For the name of a site that is to be changed. */
export const noOwnSite: readonly Message[] = [literals.siteNotFound, sentences.siteOfOtherNetwork]

/** For the owner of a site that is taken down, alone or with its account. */
export const takenDownSentence = ({ site, reason }: { site: string; reason: string }): string =>
  site === ''
    ? `The operator of this service has taken your sites offline: ${reason}. You can still read and delete them.`
    : `The operator of this service has taken this site offline: ${reason}. You can still read and delete it.`

/** Of a 413. */
export const bodyTooLarge = (bytesMax: number): string => `body: at most ${bytesMax} bytes`

/** The exact message of a failure, or an example of one that varies. */
export type Message = string | { readonly like: string }

export const like = (example: string): Message => ({ like: example })

const literalTexts = new Set<string>(Object.values(literals))

/** Whether clients may compare with it. */
export const isLiteral = (message: Message): message is string =>
  typeof message === 'string' && literalTexts.has(message)
