/**
 * As `\u` and digits: what moves the cursor, ends a line or shows text in another order. JSON stays the same value.
 */
export const escapeUnprintable = (text: string): string => text.replace(unprintable, escaped)

/** More than the control characters of ASCII: also those of C1, of direction, and Unicode's ends of lines. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
