/** PostgreSQL rejects NUL in text. For strings from outside (an error's message), not for JSON, which escapes it. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}')
}
