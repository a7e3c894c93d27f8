/** Nothing can be previewed; `message` says why, in one line for the user. */
export class PreviewError extends Error {
  override readonly name = 'PreviewError'
}
