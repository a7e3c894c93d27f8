/** `1 file`, `1,200 files`: the count in the language's digits, then the noun. */
export const plurals =
  (locale: string) =>
  (count: number, one: string, many: string): string =>
    `${digits(count, locale)} ${count === 1 ? one : many}`

/** `1,200`: a count that has no noun next to it. */
export const counts =
  (locale: string) =>
  (count: number): string =>
    digits(count, locale)

/** A number format takes longer to make than most pages have for all of their text. */
const digits = (count: number, locale: string): string =>
  count < 1000 ? String(count) : count.toLocaleString(locale)
