/** A port that nobody listens on right now. */
export async function freePort(): Promise<string> {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  return String(port)
}
