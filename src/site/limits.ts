// What a site may hold. Figures of the public contract unless a line says otherwise.

export const entryNameBytesMax = 255

/** A path in a site, folders included. Longer ones could hardly be asked for, and multiply what is kept. */
export const sitePathBytesMax = 1024

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

/** A `fs` or `subfs` record as it lies in the repository; checked before it is decoded. */
export const recordBytesMax = 1024 * 1024

export const blobBytesMax = 1_000_000_000

/** What a file must lose to be stored compressed, as a share of its size. */
export const gzipSavingMin = 0.05

/** The path of a request, as it was sent: percent-encoded. */
export const requestPathBytesMax = 4096

/** Longer media types are not sent to visitors. */
export const mediaTypeCharsMax = 255

/** A bad record is described by its first mistakes; nobody reads five thousand. */
export const problemsMax = 20

/** A `.sitehostignore`: what of it is read, and what its rules may cost a whole upload. */
export const ignoreFileBytesMax = 64 * 1024
export const ignoreRulesMax = 1000
export const ignoreLineCharsMax = 2000
/** Comparisons of one byte. */
export const ignoreStepsMax = 100_000_000

/** Of an archive: files and folders, those that are left out included. */
export const archiveEntriesMax = manifestFilesMax * 5

/** What an archive may hold beside the content of its files. */
export const archiveOverheadBytesMax = 16 * 1024 * 1024

/** What describes one entry of a tar, or all entries of a zip. */
export const tarMetadataBytesMax = 1024 * 1024
export const zipDirectoryBytesMax = 4 * 1024 * 1024

/** The longest name that file systems take (PATH_MAX of Linux). */
export const archiveNameBytesMax = 4096
