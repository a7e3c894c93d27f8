/** `1 file`, `1,200 files`: the count in the language's digits, then the noun. */
export const plurals =
  (locale: string) =>
  (count: number, one: string, many: string): string =>
    `${count.toLocaleString(locale)} ${count === 1 ? one : many}`
