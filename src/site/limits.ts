// Limits of a site and of what is done with it. Part of the public contract unless a line says otherwise.

/** Decoded bytes that this service accepts; configurable. */
export interface SiteLimits {
  readonly fileBytesMax: number
  readonly siteBytesMax: number
  /** At most the `siteFilesMax` of every site, which it is when absent. */
  readonly siteFilesMax?: number
  /** Total of the live versions of all sites of an account; unlimited when absent. */
  readonly accountBytesMax?: number
  /** Sites of an account, without removed ones; at most the `accountSitesMax` of every account. */
  readonly accountSitesMax?: number
  /** Uploads that an account begins within 24 hours; unlimited when absent. */
  readonly uploadsPerDayMax?: number
}

export const entryNameBytesMax = 255

/** A path in a site, folders included. Longer ones hardly fit into a request and multiply memory. */
export const sitePathBytesMax = 1024

/** Entries of one directory of a manifest. Parts may add more; a listing shows this many. */
export const directoryEntriesMax = 500

/** Files of a site that is published here. */
export const siteFilesMax = 10_000

/** The highest `fileCount` of a record. Other hosts may refuse sites with more files. */
export const manifestFilesMax = 1000

/** Directories above a file; bounds the recursion of the validator and of our writers. */
export const directoryDepthMax = 32

/** Entries of a whole site, directories and entries in parts included. */
export const expandedEntriesMax = 50_000

/** A manifest above either limit is split into parts; each piece stays within both. */
export const splitFilesMax = 250
export const splitManifestBytesMax = 140 * 1024

/** Parts of a site, and how deep they may nest. */
export const partsMax = 2000
export const partDepthMax = 10
/** Parts of a site of at most `manifestFilesMax` files, which other hosts may read too. */
export const smallSitePartsMax = 100

/** All parts of a site together: 10 000 files with names and types of usual length take 3 MB. */
export const sitePartsBytesMax = 16 * 1024 * 1024

/** A `fs` or `subfs` record as stored in the repository; checked before decoding. */
export const recordBytesMax = 1024 * 1024

export const blobBytesMax = 1_000_000_000

/** Share of its size that compression must save for a file to be stored compressed. */
export const gzipSavingMin = 0.05

export const connectionIdleSeconds = 60

/** The path of a request, percent-encoded. */
export const requestPathBytesMax = 4096

/** Work on a site that inflates more, or inflates to more, is detached, so that it cannot delay work that inflates less. */
export const quickInflatedBytesMax = 8 * 1024 * 1024

/** The address of a part: a DID, a collection name and a record key of 512 characters. */
export const subjectCharsMax = 1_000

/** Only the first problems of a bad record are reported. */
export const problemsMax = 20

/** A `.sitehostignore`: how much of it is read, and what its rules may cost a whole upload. */
export const ignoreFileBytesMax = 64 * 1024
export const ignoreRulesMax = 1000
export const ignoreLineCharsMax = 2000
/**
 * Byte comparisons, about 20 ns each: for one path, which nothing interrupts, and for a whole upload. A hundred
 * rules and 5000 paths of a real project take 750 000, 150 a path.
 */
export const ignorePathStepsMax = 50_000
export const ignoreStepsMax = 2_000_000

/** A `sitehost.json`: settings at every limit take 90 KB. */
export const siteFileBytesMax = 256 * 1024

/** Files, folders and fields of an upload or archive, ignored ones included. */
export const uploadEntriesMax = siteFilesMax * 5

/** Bytes of an upload or archive that are not file content. */
export const uploadOverheadBytesMax = 16 * 1024 * 1024

/** An upload slower than this over `uploadPaceMs` is ended. A site of 3 MB takes six minutes at this pace. */
export const uploadBytesPerSecondMin = 8 * 1024
export const uploadPaceMs = 30_000
/** Time limit of an upload. The largest site of the default settings takes that long at 43 KiB a second. */
export const uploadMsMax = 2 * 60 * 60 * 1000
/** A deploy that is not committed within this time is dropped. */
export const deployOpenMs = 24 * 60 * 60 * 1000
/** Before this, the pace of an upload is unknown; afterwards an upload that has sent nothing is preempted first. */
export const uploadPaceGraceMs = 3_000

/** Metadata of one tar entry, and of all zip entries together. */
export const tarMetadataBytesMax = 1024 * 1024
export const zipDirectoryBytesMax = 4 * 1024 * 1024

/** PATH_MAX of Linux. */
export const archiveNameBytesMax = 4096

/** A `_redirects` or `_headers`, decoded; beyond this it is not read. */
export const ruleFileBytesMax = 256 * 1024

/** Sites of an account, those removed within the last day included; and its sites that wait in the queue. */
export const accountSitesMax = 1000

/** For the owner of a site beyond `accountSitesMax`. */
export const tooManySites = `An account can have ${accountSitesMax} sites here. Delete one; a day after that there is room for another.`

/** For an owner who may have fewer sites than `accountSitesMax`. */
export const overAccountSites = (sitesMax: number): string =>
  `Your account can have ${sitesMax} sites here. Delete one, or ask the operator of this service.`

/** For the owner of an upload beyond `uploadsPerDayMax`. */
export const overUploadsPerDay = (uploadsMax: number): string =>
  `Your account can begin ${uploadsMax} uploads a day here. Try again later, or ask the operator of this service.`

/** For the owner of a version beyond `accountBytesMax`. */
export const overAccountBytes = (bytesMax: number): string =>
  `The sites of an account can take ${Math.floor(bytesMax / 1_000_000)} MB here together, and with this version yours would take more. Delete a site or make this one smaller, then publish again.`

/** For the owner of a version beyond what all versions of an account may take. */
export const overAccountVersions = (bytesMax: number): string =>
  `The versions of an account can take ${Math.floor(bytesMax / 1_000_000)} MB here together, and with this one yours would take more. Delete older versions.`

/** For the owner of a site whose newest version waits for free disk space. */
export const noDiskSpace =
  'This service has too little disk space left for the newest version. What was live stays live.'

export const snapshotBytesMax = 8 * 1024 * 1024

/** Versions kept per site, the live one included, and how long visitors get assets of the others. */
export const versionsMax = 10
export const replacedVersionMs = 24 * 60 * 60 * 1000

/** Version records of a site, kept versions and previews, and of an account: the newest by their keys. */
export const versionRecordsMax = 50
export const accountVersionRecordsMax = 2000

/** How long a preview stays whose record names no other time. */
export const previewMs = 14 * 24 * 60 * 60 * 1000
/** The longest that a deploy may ask for. A preview that is to stay is pinned. */
export const previewDaysMax = 365

/** Versions that publishing keeps, unless the site's settings say otherwise. */
export const versionsKeptDefault = 10
/** Version records deleted in one publish, so that no commit drops too many references. */
export const versionsPrunedMax = 2

/** The alias of a preview: with two hyphens and 26 characters for its site it fits into one label of a host name. */
export const aliasCharsMax = 35

/** What an owner says about a version. */
export const messageGraphemesMax = 300

/** Blocks of a `_headers`, and headers set or removed in all of them. */
export const headerBlocksMax = 2000
export const headerLinesMax = 2000
/** Strings between two stars of all header paths together, settings included: each is searched for in every request's path. */
export const headerSearchesMax = 100
/** Different headers, and header lines of one answer. HAProxy accepts heads of 101 lines, ours included. */
export const headerFieldsMax = 64
/** A header's name and value, substituted captures included. */
export const headerNameCharsMax = 100
export const headerValueCharsMax = 4 * 1024
/** Placeholders in one header value. */
export const headerValueNamesMax = 5

/** What a site's owner adds to one answer, as sent; proxies and browsers reject larger heads. */
export const answerHeaderCharsMax = 16 * 1024

/** A line of `_redirects` and of `_headers`, in UTF-16 units. The latter fits the longest name and value. */
export const redirectLineCharsMax = 2000
export const headerLineCharsMax = 4300

export const ruleProblemsMax = 100

export const redirectRulesMax = 2000

/** Query keys and condition values of all rules: a request may be compared with each, about 0.5 µs apiece. */
export const redirectConditionsMax = 4000

/** A target may repeat `:splat`. Proxies in front of us accept header lines of 8 KiB. */
export const locationCharsMax = 8000

/** Larger bodies are streamed to visitors and never in memory as a whole. */
export const wholeBodyBytesMax = 1024 * 1024

/** Slowest pace at which a visitor may read decoded content, after the grace period, while decoded memory is short. */
export const readerBytesPerSecondMin = 8 * 1024
export const readerGraceMs = 60 * 1000

/** While others wait, an upload gives way with its space, and a reader with its stream, unless it is this fast. */
export const givesWayBytesPerSecondMax = 256 * 1024

/** Share of the memory for decoded files that one client (an IPv6 /48) may use at a time. */
export const decodedClientShare = 1 / 4
/** Bodies that are decoded while they are sent, in all and to one client. */
export const decodedStreamsMax = 32
export const decodedStreamsOfClientMax = 4

/** Larger text is sent in better codings than the stored one, once we have made them. */
export const recompressedBytesMin = 1024

export const browserSessionsMax = 100

/** How long a released subdomain is kept for its last owner, and how many kept ones stop an account from claiming more. */
export const keptSubdomainMs = 30 * 24 * 60 * 60 * 1000
export const keptSubdomainsMax = 10

/** How long deploy tokens are good for. */
export const deployTokenDaysMax = 365
export const deployTokenDaysDefault = 90

/** Custom domains of an account: unproven ones, and all. */
export const pendingDomainsMax = 20
export const customDomainsMax = 100

/** A verified domain is lost after this many consecutive checks without its proof, over at least this time. */
export const domainMissesMax = 3
export const domainMissingMsMin = 72 * 60 * 60 * 1000
