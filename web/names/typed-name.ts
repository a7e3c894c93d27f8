import { checkName } from '#web/server/api.ts'

/** The host of an address, as somebody copies it from their browser; anything else as it is. */
export function hostOf(typed: string): string {
  if (!typed.includes('/')) return typed
  const address = typed.includes('://') ? typed : `https://${typed}`
  return (URL.canParse(address) && new URL(address).hostname) || typed
}

/** The label of a name of this service that was typed whole; anything else as it is. */
export async function labelOf(typed: string, check = checkName): Promise<string> {
  const host = hostOf(typed)
  const [label = ''] = host.split('.')
  if (label === host) return host
  // Only the service knows what its names end in; of another's domain the first piece is not what was meant.
  const found = await check(label)
  return 'domain' in found && found.domain === host.toLowerCase() ? label : typed
}
