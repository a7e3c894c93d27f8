/**
 * Adds what every answer over TLS has: `Strict-Transport-Security` if it has none (0 seconds: never), and `Alt-Svc` if one is
 * given.
 */
export function secureFields(
  hstsSeconds: number,
): (response: Response, altSvc?: string | null) => Response {
  const hsts = hstsSeconds > 0 ? `max-age=${hstsSeconds}` : null
  return (response, altSvc = null) => {
    if (altSvc !== null) response.headers.set('alt-svc', altSvc)
    if (hsts !== null && !response.headers.has('strict-transport-security')) {
      response.headers.set('strict-transport-security', hsts)
    }
    return response
  }
}
