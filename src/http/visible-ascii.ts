/** Percent-encodes a URL, or a part of one, for a header field; existing encoding stays as it is. */
export function visibleAscii(text: string): string {
  return text.replace(/[^!-~]+/g, (other) => encodeURIComponent(other.toWellFormed()))
}
