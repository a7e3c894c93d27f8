import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DemoOptions } from '#cli/program.ts'
import { printReady } from '#main/process/ready-line.ts'
import { StartError } from '#main/process/start-failure.ts'
import { type Devnet, devSettings, openAppClient, startDevNetwork } from './dev-network.ts'
import { demoDataDir } from './network-data-dirs.ts'
import { startServing } from './serve.ts'

const sampleName = 'hello'
const sampleDir = fileURLToPath(new URL('../../../devnet/sample-site', import.meta.url))

/** Everything on this machine, with a sample site published through the real path. */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const data = options.data ?? demoDataDir
  await using network = await startDevNetwork(data, options)
  const stop = new AbortController()
  void network.exited.then(() => stop.abort())
  const service = await startServing(
    { ...options, data: join(data, 'sitehost') },
    { LOG_LEVEL: 'warning', SHUTDOWN_SECONDS_MAX: '5', ...devSettings(network) },
    AbortSignal.any([signal, stop.signal]),
  )
  try {
    const { app, port } = service.ready
    const site = await publishSample(app, network)
    console.log(introduction(app, site.url, { ...network, data }))
    const { pds, plc, accounts } = network
    const ready = { ...service.ready, port, pds, plc, accounts, sites: [site] }
    // In a terminal, the introduction has said all of this.
    if (options.json || !process.stdout.isTTY) printReady(ready)
  } catch (cause) {
    stop.abort()
    await service.stopped
    if (signal.aborted) return
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StartError(`the sample site could not be published: ${reason}`, { cause })
  }
  await service.stopped
  if (!signal.aborted) throw new StartError('the development network has ended')
}

async function publishSample(app: string, network: Devnet) {
  const [alice] = network.accounts
  if (alice === undefined) throw new Error('the development network has no accounts')
  const client = await openAppClient(app)
  await client.signIn(alice.handle, alice.password)
  const paths = [...new Bun.Glob('**/*').scanSync({ cwd: sampleDir, onlyFiles: true })]
  const { url } = await client.publish(
    sampleName,
    paths.sort().map((path) => ({ path, body: Bun.file(join(sampleDir, path)) })),
  )
  return { did: alice.did, rkey: sampleName, url: String(url) }
}

function introduction(
  app: string,
  siteUrl: string,
  { accounts, data }: Pick<Devnet, 'accounts'> & { readonly data: string },
): string {
  return [
    '',
    `  The sample site:   ${siteUrl}`,
    `  Publish your own:  ${app}`,
    ...accounts.map(
      ({ handle, password }, i) =>
        `  ${i === 0 ? 'Sign in as:       ' : '               or:'} ${handle} (password ${password})`,
    ),
    `  Administer it:     ${app}/admin, as whom this adds:`,
    `                     bin/sitehost admin add <name> --data ${join(data, 'sitehost')}`,
    '  Stop with Ctrl-C.',
    '',
  ].join('\n')
}
