/** A file of a drop, of the file dialog or of an archive, which is not read yet. */
export interface PickedFile {
  /** As it was named, below the folder that was picked: `blog/index.html`. */
  readonly path: string
  readonly bytes: number
  /** Why no site can have it, as in `is a symbolic link`; null if one can. */
  readonly problem: string | null
  /** Throws ReadError. */
  readonly open: () => Promise<Blob>
}

/** What was chosen cannot be read. `message` is a sentence for the person who chose it. */
export class ReadError extends Error {
  override readonly name = 'ReadError'
}

export const pickedOf = (path: string, file: Blob): PickedFile => ({
  path,
  bytes: file.size,
  problem: null,
  open: async () => file,
})
