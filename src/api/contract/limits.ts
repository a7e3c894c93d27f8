/** Of a body of JSON for which a route says nothing else. */
export const jsonBytesMax = 64 * 1024
/** Settings with every field at its limit, each byte escaped. */
export const settingsJsonBytesMax = 512 * 1024

/** Uploads of one account that may be arriving at a time, so that none takes everybody's space. */
export const uploadsArrivingMax = 5

const hourMs = 60 * 60 * 1000

/** Owners whose server is gone can still leave: no grant check is needed after failed attempts for this long. */
export const grantAwayMsMin = 72 * hourMs
export const grantAwayHours = grantAwayMsMin / hourMs

/** Rate-limited actions, as error messages name them. */
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
