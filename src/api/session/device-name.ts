/** Browsers that name others in their `User-Agent` come first. */
const browsers: readonly [string, RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
]

const systems: readonly [string, RegExp][] = [
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

const readCharsMax = 512

/** Browser and system of a `User-Agent`, as `Firefox on Windows`; null: unknown. Consists of our own names only. */
export function deviceName(userAgent: string | null): string | null {
  const text = (userAgent ?? '').slice(0, readCharsMax)
  const nameIn = (known: readonly [string, RegExp][]) =>
    known.find(([, pattern]) => pattern.test(text))?.[0]
  const names = [nameIn(browsers), nameIn(systems)].filter((name) => name !== undefined)
  return names.length === 0 ? null : names.join(' on ')
}
