/** Adds `Strict-Transport-Security` to an answer that has none; 0 seconds: leaves all as they are. */
export function strictTransport(seconds: number): (response: Response) => Response {
  const hsts = seconds > 0 ? `max-age=${seconds}` : null
  return (response) => {
    if (hsts !== null && !response.headers.has('strict-transport-security')) {
      response.headers.set('strict-transport-security', hsts)
    }
    return response
  }
}
