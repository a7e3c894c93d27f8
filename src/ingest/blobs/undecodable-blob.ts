/** The bytes are not what the manifest says about them, or decode to more than is allowed. */
export class UndecodableBlobError extends Error {
  override readonly name = 'UndecodableBlobError'
}
