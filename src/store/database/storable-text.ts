/**
 * PostgreSQL refuses the NUL character in text. For words from outside (an error's message), not
 * for JSON, which escapes it.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}')
}
