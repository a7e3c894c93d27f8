const collator = new Intl.Collator(undefined, { numeric: true })

/** Names as people sort them: `p2` before `p10`. */
export const naturalOrder = (a: string, b: string): number => collator.compare(a, b)
