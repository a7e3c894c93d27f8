/** The text without what looks like a secret in it, wherever that came from: a message of a library, an address. */
export const redacted = (text: string): string =>
  secrets.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text)

const secrets: readonly [pattern: RegExp, shown: string][] = [
  [/\b(Bearer|DPoP|Basic) [\w.~+/=-]{8,}/g, '$1 [redacted]'],
  // A JSON Web Token, or a key as one.
  [/\beyJ[\w-]{8,}(\.[\w-]*)*/g, '[redacted]'],
  [/(:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}@/g, '$1[redacted]@'],
  [
    /([?&;\s](?:code|state|nonce|sid|[a-z_]*(?:token|secret|password|verifier|challenge))=)[^\s&;"']{1,2000}/gi,
    '$1[redacted]',
  ],
]
