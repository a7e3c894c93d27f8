export interface ComparedLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Of both sides, what is not alike at the start and the end; more is shown as removed and added whole. */
const comparedMax = 2_000

/** What leads from the lines of one text to those of another, in few changes. */
export function compareLines(from: string, to: string): readonly ComparedLine[] {
  const [a, b] = [from.split('\n'), to.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [
    ...lines('same', a.slice(0, start)),
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...lines('same', a.slice(a.length - end)),
  ]
}

const lines = (kind: ComparedLine['kind'], texts: readonly string[]): ComparedLine[] =>
  texts.map((text) => ({ kind, text }))

/** The longest common subsequence, by its table. */
function compareMiddle(a: readonly string[], b: readonly string[]): ComparedLine[] {
  if (a.length > comparedMax || b.length > comparedMax) {
    return [...lines('removed', a), ...lines('added', b)]
  }
  const width = b.length + 1
  const common = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const compared: ComparedLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const isSame = i < a.length && j < b.length && a[i] === b[j]
    if (isSame) compared.push({ kind: 'same', text: a[i++] ?? '' })
    else if (j === b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      compared.push({ kind: 'removed', text: a[i++] ?? '' })
    } else compared.push({ kind: 'added', text: b[j++] ?? '' })
    if (isSame) j++
  }
  return compared
}
