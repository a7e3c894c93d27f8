/** As a text field shows it: every line end is a line feed. */
export const shownText = (text: string): string => text.replace(/\r\n?/g, '\n')

export type LineEnd = '\n' | '\r\n' | '\r'

/** The most frequent line end; a line feed for text of one line. */
export function lineEndOf(text: string): LineEnd {
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 }
  for (const [end] of text.matchAll(/\r\n|\r|\n/g)) counts[end as LineEnd]++
  const most = Math.max(...Object.values(counts))
  return counts['\n'] === most ? '\n' : counts['\r\n'] === most ? '\r\n' : '\r'
}

/**
 * The text after an edit in a field that shows `shownText(text)` and now says `shown`. Outside of what was edited every
 * character stays as it is; new lines end as most others do.
 */
export function editText(text: string, shown: string): string {
  const before = shownText(text)
  const shortest = Math.min(before.length, shown.length)
  let start = 0
  while (start < shortest && before[start] === shown[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === shown.at(-1 - end)) end++
  const head = text.slice(0, placeOf(text, start))
  const tail = text.slice(placeOf(text, before.length - end))
  const middle = shown.slice(start, shown.length - end).replaceAll('\n', lineEndOf(text))
  return joined(joined(head, middle), tail)
}

/** A carriage return and a line feed that were two line ends do not become one. */
const joined = (a: string, b: string): string =>
  a.endsWith('\r') && b.startsWith('\n') ? `${a}\n${b}` : a + b

/** Where in `text` the character is that `shownText` has at `shownAt`. */
function placeOf(text: string, shownAt: number): number {
  let at = 0
  for (let left = shownAt; left > 0; left--) at += text.startsWith('\r\n', at) ? 2 : 1
  return at
}
