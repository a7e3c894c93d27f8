/** Long enough, given the limits on guessing. */
const passwordCharsMin = 12
const passwordCharsMax = 256

// OWASP's "Password Storage Cheat Sheet", argon2id: 19 MiB and two passes. A check takes that much memory.
const argon2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** The hash of an unknown password: unknown names take as long to reject as known ones. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$Y9EY9zhBmI2DV1rlmb67pY5yAphpycpDr+vjHYDrcH8$rvKsW6FMcOht2MvgP/Mo0pAo/WNH3iy0P6S6PXZ6J0Q'

/** 1 to 64 of `a-z 0-9 . _ -`, beginning with a letter or digit. */
export const isAdminName = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)

/** Why this password is not accepted, in a sentence; null: it is. */
export function passwordProblem(password: string, name: string): string | null {
  const chars = [...password].length
  if (chars < passwordCharsMin) return `A password has ${passwordCharsMin} characters or more.`
  if (chars > passwordCharsMax) return `A password has at most ${passwordCharsMax} characters.`
  if (password.toLowerCase().includes(name)) return 'A password does not contain the name.'
  return null
}

export async function hashPassword(password: string): Promise<string> {
  return await Bun.password.hash(normalized(password), argon2)
}

/** Takes as long without a hash, which no password matches. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const matches = await Bun.password.verify(normalized(password), hash ?? nobodysHash)
  return matches && hash !== null
}

// Keyboards compose an é in different ways.
const normalized = (password: string): string => password.normalize('NFC')
