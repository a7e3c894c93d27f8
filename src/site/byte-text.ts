const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `812 B`, `1.5 MB`, `120 GB`: in steps of 1000, as browsers and operating systems show sizes. */
export function byteText(bytes: number): string {
  let value = bytes
  let unit = 0
  // 999.95 kB would print as "1,000 kB"
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${number.format(value)} ${units[unit]}`
}
