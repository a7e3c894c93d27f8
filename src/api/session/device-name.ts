/** In the order in which one that names others is recognised first. */
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

/**
 * Browser and operating system of a `User-Agent`, such as `Firefox on Windows`, for an owner to recognise where they
 * are signed in. Only names of ours: nothing of what was sent is kept. Null: neither is known.
 */
export function deviceName(userAgent: string | null): string | null {
  const text = (userAgent ?? '').slice(0, readCharsMax)
  const nameIn = (known: readonly [string, RegExp][]) =>
    known.find(([, pattern]) => pattern.test(text))?.[0]
  const names = [nameIn(browsers), nameIn(systems)].filter((name) => name !== undefined)
  return names.length === 0 ? null : names.join(' on ')
}
