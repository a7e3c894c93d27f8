import type { UploadedFile } from '#publish/upload/upload-tree.ts'

/** A file whose content the account has already: nothing of it is in the spool. */
export interface HeldFile extends Omit<UploadedFile, 'pack' | 'offset'> {
  readonly pack: null
}

/** A file of a job. */
export type PlannedFile = UploadedFile | HeldFile

/** The account had this content when the deploy began, and has it no longer. */
export class ContentsGoneError extends Error {
  override readonly name = 'ContentsGoneError'
  readonly files: readonly HeldFile[]

  constructor(files: readonly HeldFile[]) {
    super(`contents gone meanwhile; files=${files.length}`)
    this.files = files
  }
}
