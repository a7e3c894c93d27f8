import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { FolderPreview } from '#cli/preview/folder-preview.ts'
import { StoredFiles } from '#cli/preview/stored-files.ts'
import type { PreviewOptions } from '#cli/program.ts'
import { readUploadLimits } from '#main/config/site-owner-config.ts'
import { listen } from '#main/process/listen.ts'
import { startProcessLog } from '#main/process/process-log.ts'
import { printReady } from '#main/process/ready-line.ts'
import { StartError } from '#main/process/start-failure.ts'
import { openPreviewEdge } from './preview-edge.ts'

/** Loopback only: unpublished files are private. */
const host = '127.0.0.1'

/** Serves a folder as the service would, until the signal. */
export async function runPreview(
  folder: string,
  options: PreviewOptions,
  signal: AbortSignal,
): Promise<void> {
  await showFolder(folder, options, signal).catch((error) => {
    if (!signal.aborted) throw error
  })
}

async function showFolder(
  folder: string,
  { port, settings, watch }: PreviewOptions,
  signal: AbortSignal,
): Promise<void> {
  const wantedPort = parsePort(port)
  await using opened = new AsyncDisposableStack()
  const logSettings = { logLevel: 'warning', logFormat: null, logColours: true } as const
  const log = opened.use(await startProcessLog(logSettings, { service: 'hosting-service' }))
  const stored = opened.use(await StoredFiles.create(tmpdir()))
  const edge = openPreviewEdge(stored, log)
  const preview = new FolderPreview({
    folder,
    stored,
    signal,
    now: Date.now,
    settingsFile: settings ?? null,
    limits: readUploadLimits(),
    show: (snapshot) => edge.show(snapshot),
    say: (line) => console.log(line),
  })
  await preview.start()
  signal.throwIfAborted()
  const server = listen({
    host,
    port: wantedPort,
    setting: '--port',
    fetch: (request) => edge.answer(request),
  })
  opened.defer(() => server.stop(true))
  printReady({ url: `http://${host}:${server.port}/` })
  await (watch ? preview.watch() : once(signal, 'abort'))
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new StartError('--port: a number from 0 to 65535')
}
