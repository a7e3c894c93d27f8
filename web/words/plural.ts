/** `1 file`, `1,200 files`: the count in the language's digits, then the noun. */
export const plurals =
  (locale: string) =>
  (count: number, one: string, many: string): string =>
    `${digits(count, locale)} ${count === 1 ? one : many}`

/** A number format takes longer to make than most pages have for all of their text. */
const digits = (count: number, locale: string): string =>
  count < 1000 ? String(count) : count.toLocaleString(locale)
