import { limitText } from '#site/byte-text.ts'
import { type SiteLimits, uploadOverheadBytesMax } from '#site/limits.ts'

/** The upload cannot become a site. `message` is for the person who sent it. */
export class UploadRefusedError extends Error {
  override readonly name = 'UploadRefusedError'
  readonly reason: 'invalid' | 'too-large'

  constructor(reason: 'invalid' | 'too-large', message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export const invalid = (message: string, cause?: unknown): UploadRefusedError =>
  new UploadRefusedError('invalid', message, { cause })

export const tooLarge = (message: string): UploadRefusedError =>
  new UploadRefusedError('too-large', message)

/** A name from outside, to be put into a sentence. */
export const quoted = (name: string): string => JSON.stringify(name.slice(0, 300))

/** What an upload may have in all: files that are left out are sent too, and a form has its own bytes. */
export const uploadBytesMax = ({ siteBytesMax }: SiteLimits): number =>
  2 * siteBytesMax + uploadOverheadBytesMax

export const uploadTooLarge = (limits: SiteLimits): UploadRefusedError =>
  tooLarge(
    `This upload is larger than ${limitText(uploadBytesMax(limits))}. Leave out what is not part of the site.`,
  )
