// What a site may hold. Figures of the public contract unless a line says otherwise.

/** What this service takes of one site, decoded; a matter of its settings. */
export interface SiteLimits {
  readonly fileBytesMax: number
  readonly siteBytesMax: number
  /** Of the live versions of an account's sites together; left out: without bound. */
  readonly accountBytesMax?: number
}

export const entryNameBytesMax = 255

/** A path in a site, folders included. Longer ones could hardly be asked for, and multiply what is kept. */
export const sitePathBytesMax = 1024

/** Of one directory of a manifest. Parts may bring more together; of those a listing shows as many. */
export const directoryEntriesMax = 500

export const manifestFilesMax = 1000

/** Directories above a file. The validator and our own writers recurse no deeper than this. */
export const directoryDepthMax = 32

/** Entries of a whole site, directories and the contents of parts included. */
export const expandedEntriesMax = 5000

/** Above either of these two, a manifest is split into parts; every piece stays at or below both. */
export const splitFilesMax = 250
export const splitManifestBytesMax = 140 * 1024

/** Parts of a site, and how deep one may be in another. */
export const partsMax = 100
export const partDepthMax = 10

/** All parts of a site together: five thousand entries with every field at its longest have five million. */
export const sitePartsBytesMax = 8 * 1024 * 1024

/** A `fs` or `subfs` record as it lies in the repository; checked before it is decoded. */
export const recordBytesMax = 1024 * 1024

export const blobBytesMax = 1_000_000_000

/** What a file must lose to be stored compressed, as a share of its size. */
export const gzipSavingMin = 0.05

/** So long may a connection be silent. */
export const connectionIdleSeconds = 60

/** The path of a request, as it was sent: percent-encoded. */
export const requestPathBytesMax = 4096

/** A look at a site that inflates more goes on where it keeps nobody waiting whose blobs inflate to less. */
export const quickInflatedBytesMax = 8 * 1024 * 1024

/** The address of a part: a DID, the name of its collection, and a key of 512 characters. */
export const subjectCharsMax = 1_000

/** A bad record is described by its first mistakes; nobody reads five thousand. */
export const problemsMax = 20

/** A `.sitehostignore`: what of it is read, and what its rules may cost a whole upload. */
export const ignoreFileBytesMax = 64 * 1024
export const ignoreRulesMax = 1000
export const ignoreLineCharsMax = 2000
/**
 * Comparisons of one byte, some 20 ns each: of one path, which nothing interrupts, and of all together. A hundred rules and
 * 5000 paths of a real project take 750 000, 150 a path.
 */
export const ignorePathStepsMax = 50_000
export const ignoreStepsMax = 2_000_000

/** Of an upload and of an archive: files, folders and fields, what will be left out included. */
export const uploadEntriesMax = manifestFilesMax * 5

/** What an upload or an archive may hold beside the content of its files. */
export const uploadOverheadBytesMax = 16 * 1024 * 1024

/** An upload that is slower, over so long, is ended. A site of 3 MB takes six minutes at this pace. */
export const uploadBytesPerSecondMin = 8 * 1024
export const uploadPaceMs = 30_000
/** So long may an upload be waited for in all. The largest site of the default settings takes that long at 43 KiB a second. */
export const uploadMsMax = 2 * 60 * 60 * 1000
/** Until then nobody can tell how fast an upload is; afterwards one that has sent nothing gives way first. */
export const uploadPaceGraceMs = 3_000

/** What describes one entry of a tar, or all entries of a zip. */
export const tarMetadataBytesMax = 1024 * 1024
export const zipDirectoryBytesMax = 4 * 1024 * 1024

/** The longest name that file systems take (PATH_MAX of Linux). */
export const archiveNameBytesMax = 4096

/** `_redirects` and `_headers`: what each may hold to be used, decoded. */
export const ruleFileBytesMax = 256 * 1024

/** Sites of an account that are here, or were until they were removed within a day; and those that wait to be looked at. */
export const accountSitesMax = 1000

/** Told to the owner of a site for which there is no room. */
export const tooManySites = `An account can have ${accountSitesMax} sites here. Delete one; a day after that there is room for another.`

/** Told to the owner of a version that goes beyond `accountBytesMax`. */
export const overAccountBytes = (bytesMax: number): string =>
  `The sites of an account can take ${Math.floor(bytesMax / 1_000_000)} MB here together, and with this version yours would take more. Delete a site or make this one smaller, then publish again.`

/** Told to the owner of a site whose newest version waits for free space on this service's disk. */
export const noDiskSpace =
  'This service has too little disk space left for the newest version. What was live stays live.'

/** What is kept of one version of a site for the edge to read, as text. */
export const snapshotBytesMax = 4 * 1024 * 1024

/** Versions of a site that are kept, the live one among them, and how long visitors get assets of the others. */
export const versionsMax = 10
export const replacedVersionMs = 24 * 60 * 60 * 1000

/** Of a `_headers`: its blocks, what it sets and removes in all of them, and in one answer how much of it. */
export const headerBlocksMax = 2000
export const headerLinesMax = 2000
/** Pieces of text between two stars of all paths together, those of the settings too: each is searched for in the path of a request. */
export const headerSearchesMax = 100
/** Different headers, and lines of one answer. HAProxy takes heads of 101 lines, with ours among them. */
export const headerFieldsMax = 64
/** How long a name and a value may be, substituted captures included. */
export const headerNameCharsMax = 100
export const headerValueCharsMax = 4 * 1024
/** How often a value may name what the address gives. */
export const headerValueNamesMax = 5

/** What a site's owner adds to one answer, as it is sent; servers in front of us and browsers refuse larger heads. */
export const answerHeaderCharsMax = 16 * 1024

/** A line of `_redirects` and of `_headers`, in UTF-16 units. The latter has room for the longest name and value. */
export const redirectLineCharsMax = 2000
export const headerLineCharsMax = 4300

/** What is told of a file that is all wrong. */
export const ruleProblemsMax = 100

export const redirectRulesMax = 2000

/** Query keys and values of conditions, of all rules: a request may have to be compared with each, some 0.5 µs apiece. */
export const redirectConditionsMax = 4000

/** A `:splat` may stand in a target many times. Servers in front of us take header lines of 8 KiB. */
export const locationCharsMax = 8000

/** What is larger is streamed to visitors, and never in memory as a whole. */
export const wholeBodyBytesMax = 1024 * 1024

/** How slowly a visitor may take what we decoded for them, after the first while, when there is not enough of it for all. */
export const readerBytesPerSecondMin = 8 * 1024
export const readerGraceMs = 60 * 1000

/** Of the room for decoded files, what one client reads at a time, an IPv6 /64 counting as one. */
export const decodedClientShare = 1 / 4
/** What is decoded on its way to visitors at a time, and of that to one client. */
export const decodedStreamsMax = 32
export const decodedStreamsOfClientMax = 4

/** Text that is larger is sent in smaller codings than it is stored in, once we have made them. */
export const recompressedBytesMin = 1024

/** Browsers in which an account is signed in. */
export const browserSessionsMax = 100

/** For so long a released subdomain is kept for its last owner; with so many of them an account claims no others. */
export const keptSubdomainMs = 30 * 24 * 60 * 60 * 1000
export const keptSubdomainsMax = 10

/** Custom domains of an account: those that wait for their proof, and all of them. */
export const pendingDomainsMax = 20
export const customDomainsMax = 100

/** A verified domain is lost after so many look-ups in a row without its proof, over this time at least. */
export const domainMissesMax = 3
export const domainMissingMsMin = 72 * 60 * 60 * 1000
