/** The host of an address, as somebody copies it from their browser; anything else as it is. */
export function hostOf(typed: string): string {
  if (!typed.includes('/')) return typed
  const address = typed.includes('://') ? typed : `https://${typed}`
  return (URL.canParse(address) && new URL(address).hostname) || typed
}
