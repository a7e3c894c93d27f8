import { createSeal, type Seal } from '#atproto/oauth/seal.ts'

/** Seals private keys of certificates and of accounts with authorities. */
export const openKeySeal = (secrets: readonly [string, ...string[]]): Promise<Seal> =>
  createSeal(secrets, 'sitehost certificate keys')

export const certificateContext = (name: string): string => `certificate ${name}`
export const accountContext = (directory: string): string => `acme account ${directory}`
