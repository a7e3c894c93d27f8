/** `1.4 MB`, in steps of 1024 as the server counts in its sentences and its limits. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 'byte'
  for (const next of ['kilobyte', 'megabyte', 'gigabyte']) {
    // 1023.5 kB would print as "1,024 kB"
    if (value < 1023.5) break
    value /= 1024
    unit = next
  }
  const maximumFractionDigits = unit === 'byte' || value >= 100 ? 0 : 1
  const unitDisplay = unit === 'byte' ? 'long' : 'short'
  return value.toLocaleString('en', { style: 'unit', unit, unitDisplay, maximumFractionDigits })
}

/** `1 file`, `1,200 files`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** In the reader's own language and time zone. */
export function formatTime(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}
