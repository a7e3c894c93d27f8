import { byteText, limitText } from '#site/byte-text.ts'
import { currentLocale } from '#web/words/locale.ts'

/** In the language of the document. */
export const formatBytes = (bytes: number): string => byteText(bytes, currentLocale())

/** Of what something may have at most. */
export const formatLimit = (bytes: number): string => limitText(bytes, currentLocale())

/** `1 file`, `1,200 files`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
