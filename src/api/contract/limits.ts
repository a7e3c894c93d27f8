/** Of a body of JSON for which a route says nothing else. */
export const jsonBytesMax = 64 * 1024
/** Settings with every field at its limit, each byte escaped. */
export const settingsJsonBytesMax = 512 * 1024

/** Uploads of one account that may be arriving at a time, so that none takes everybody's space. */
export const uploadsArrivingMax = 5

const hourMs = 60 * 60 * 1000

/** An owner whose server is gone must not be kept here for ever: after so long, and so many tries, they need not be confirmed. */
export const grantAwayMsMin = 72 * hourMs
export const grantAwayHours = grantAwayMsMin / hourMs

/** What may be done so often in a while, by one client and one account, in the words of who did too much. */
export const limitedThings = {
  signIn: 'sign-ins from your network',
  callback: 'sign-ins from your network',
  claim: 'names claimed or renamed',
  customAdd: 'domains added',
  verify: 'domains verified',
  upload: 'uploads',
  sync: 'looks at your sites',
  settings: 'settings read or saved',
  list: 'lists of your sites and domains',
  export: 'exports',
} as const

export type RateLimitName = keyof typeof limitedThings
