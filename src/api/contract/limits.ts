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
