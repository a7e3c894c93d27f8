import type { Config } from '#main/config/config.ts'
import type { Log } from '#observe/log.ts'
import type { Service } from '#observe/log-entry.ts'
import { noSpans, type Spans } from '#observe/spans.ts'
import { version } from '#package.json'

interface OpenOptions {
  readonly config: Pick<Config, 'otlpEndpoint'>
  readonly part: Service
  readonly log: Log
}

/** Traces for the collector of the settings; without one, nothing of OpenTelemetry is loaded. */
export async function openSpans(
  { config, log, part }: OpenOptions,
  opened: AsyncDisposableStack,
): Promise<Spans> {
  const { otlpEndpoint: endpoint } = config
  if (endpoint === null) return noSpans
  const { openTelemetry } = await import('#observe/open-telemetry.ts')
  return opened.use(openTelemetry({ endpoint, log, part, version }))
}
