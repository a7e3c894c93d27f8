// What a site may hold. Figures of the public contract unless a line says otherwise.

export const entryNameBytesMax = 255

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
