/** Text to search for, prepared. `String.indexOf` may compare all of it again at each place of the other text. */
export interface Needle {
  readonly text: string
  /** By the number of units that match: how many still do when the next one differs. */
  readonly borders: Uint16Array
}

/** Linear in the text, which is shorter than 65536 units. */
export function compileNeedle(text: string): Needle {
  const borders = new Uint16Array(text.length + 1)
  let border = 0
  for (let i = 1; i < text.length; i++) {
    border = advance(text, borders, border, text.charCodeAt(i))
    borders[i + 1] = border
  }
  return { text, borders }
}

/** As `haystack.indexOf(text, from)`, in two comparisons for each unit of the haystack at most. */
export function indexOfNeedle({ text, borders }: Needle, haystack: string, from: number): number {
  if (haystack.length - from < text.length) return -1
  let matched = 0
  for (let i = from; i < haystack.length; i++) {
    matched = advance(text, borders, matched, haystack.charCodeAt(i))
    if (matched === text.length) return i + 1 - matched
  }
  return -1
}

/** How many units match once this one follows. */
function advance(text: string, borders: Uint16Array, matched: number, unit: number): number {
  let length = matched
  while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length] ?? 0
  return text.charCodeAt(length) === unit ? length + 1 : 0
}
