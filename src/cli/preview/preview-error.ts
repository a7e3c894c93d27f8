/** There is nothing to preview; `message` says why, in one line for the person who asked for it. */
export class PreviewError extends Error {
  override readonly name = 'PreviewError'
}
