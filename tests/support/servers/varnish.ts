import { join } from 'node:path'
import { programPath } from '#tests/support/require.ts'
import { startProgram } from './start-program.ts'

export const varnishProgram = programPath('varnishd')

interface VarnishOptions {
  readonly port: string
  readonly dir: string
  /** Of the service. */
  readonly backendPort: string
  readonly applicationHost: string
  readonly token: string
}

/** Varnish with `deploy/varnish/sitehost.vcl`. */
export async function startVarnish(options: VarnishOptions): Promise<AsyncDisposable> {
  const { applicationHost, backendPort, dir, port, token } = options
  const shipped = await Bun.file(
    join(import.meta.dir, '../../../deploy/varnish/sitehost.vcl'),
  ).text()
  const vcl = shipped
    .replace('.port = "3000"', `.port = "${backendPort}"`)
    .replace('sitehost\\.example', applicationHost.replaceAll('.', '\\.'))
    .replace('replace-this-token', token)
  const file = join(dir, 'sitehost.vcl')
  await Bun.write(file, vcl)
  const command = [
    // Reads files of this user alone.
    ...[varnishProgram ?? 'varnishd', '-j', 'none', '-F', '-n', join(dir, 'varnish'), '-f', file],
    ...['-a', `127.0.0.1:${port}`, '-s', 'malloc,64m', '-p', 'thread_pool_min=10'],
  ]
  return await startProgram(command, () => fetch(`http://127.0.0.1:${port}/`))
}
