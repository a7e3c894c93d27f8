const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `812 B`, `1.5 MB`, `120 GB`: in steps of 1024, as limits count. */
export function byteText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
