/** The account cannot hold this site. `message` is for its owner and says what to do. */
export class NotPublishableError extends Error {
  override readonly name = 'NotPublishableError'
}
