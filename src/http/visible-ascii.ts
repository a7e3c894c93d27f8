/** An address, or a part of one, as header fields can hold it; what is encoded stays as it is. */
export function visibleAscii(text: string): string {
  return text.replace(/[^!-~]+/g, (other) => encodeURIComponent(other.toWellFormed()))
}
