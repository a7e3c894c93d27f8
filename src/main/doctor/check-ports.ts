import { connect } from 'node:net'
import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'
import { ConfigError } from '#main/config/config.ts'
import { listen } from '#main/process/listen.ts'
import { askService } from '#main/status/ask-service.ts'
import type { ServiceProcess } from '#main/status/service-processes.ts'

const connectMsMax = 2_000

/** The process's own port: it answers there, or with these settings being its own, the port is free for it. */
export async function checkPort({
  address,
  isAnnounced,
  isOfSettings,
  name,
}: Omit<ServiceProcess, 'part'>): Promise<Finding> {
  if (address === null) return warning('port', `${name} does not run`, startOther)
  const { host, port } = address
  const state = await askService(address)
  if (state === 'running') return ok('port', `${name} answers at port ${port}`)
  if (state === 'unready') {
    return problem(
      'port',
      `${name} answers at port ${port} that it is not ready`,
      'its log and /readyz say why',
    )
  }
  if (!isOfSettings) return warning('port', `${name} does not answer at port ${port}`, startOther)
  try {
    const fetch = () => new Response(null, { status: 503 })
    await listen({ host, port, setting: '--port', fetch }).stop(true)
    return ok(
      'port',
      isAnnounced
        ? `port ${port} is free: ${name} does not run`
        : `port ${port} of these settings is free, and ${name} does not run on this data folder`,
    )
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return problem('port', error.message, 'the service could not start')
  }
}

const startOther = 'start it, or run doctor with its settings too'

/** Whether something on this machine accepts connections where visitors' browsers connect. */
export async function checkFront(
  ports: readonly number[] = [80, 443],
  host = '127.0.0.1',
): Promise<Finding[]> {
  return await Promise.all(
    ports.map(async (port) =>
      (await accepts(host, port))
        ? ok('front', `port ${port} of this machine accepts connections`)
        : warning(
            'front',
            `nothing accepts connections at port ${port} of this machine`,
            'start the front (systemctl status caddy), unless it is on another machine',
          ),
    ),
  )
}

export async function accepts(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port, timeout: connectMsMax })
  socket.on('connect', () => resolve(true))
  socket.on('error', () => resolve(false))
  socket.on('timeout', () => resolve(false))
  try {
    return await promise
  } finally {
    socket.destroy()
  }
}
