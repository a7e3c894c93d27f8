/** Errors of pages are counted under these names: the classes of ECMAScript, and what browsers say of storage, files and rights. */
export const pageErrorNames = [
  'Error',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'AbortError',
  'DataCloneError',
  'InvalidStateError',
  'NotAllowedError',
  'NotFoundError',
  'NotReadableError',
  'QuotaExceededError',
  'SecurityError',
  'other',
] as const

export type PageErrorName = (typeof pageErrorNames)[number]

export const browserEngines = ['blink', 'gecko', 'webkit', 'other'] as const

export type PageErrorLabel = `${PageErrorName} ${(typeof browserEngines)[number]}`

/** The engine of a `User-Agent`. Each names those that it is compatible with; browsers for iOS are all WebKit. */
export function engineOf(userAgent: string): (typeof browserEngines)[number] {
  if (/\bFirefox\//.test(userAgent)) return 'gecko'
  if (/\b(?:Headless)?Chrome\//.test(userAgent)) return 'blink'
  return /\bAppleWebKit\//.test(userAgent) ? 'webkit' : 'other'
}
