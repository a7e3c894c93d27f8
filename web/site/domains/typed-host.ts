/** The host of an address, as somebody copies it from their browser; anything else as it is. */
export function hostOf(typed: string): string {
  if (!typed.includes('/')) return typed
  const address = typed.includes('://') ? typed : `https://${typed}`
  return (URL.canParse(address) && new URL(address).hostname) || typed
}

/** Of a whole address below the base domain, what is in front of it. */
export function labelOf(typed: string, baseDomain: string): string {
  const host = hostOf(typed.trim())
  return host.toLowerCase().endsWith(`.${baseDomain}`)
    ? host.slice(0, -baseDomain.length - 1)
    : host
}
