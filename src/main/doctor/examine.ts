import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifExists } from '#blobs/storage-calls.ts'
import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'
import { assertOwnFolder } from '#main/commands/upkeep.ts'
import { type Config, ConfigError } from '#main/config/config.ts'
import { behindFront } from '#main/config/tls-config.ts'
import { unknownSettingSentence, unknownSettings } from '#main/config/unknown-settings.ts'
import { pidFileOf } from '#main/process/data-lock.ts'
import { readAnnouncement } from '#main/process/service-address.ts'
import { askService } from '#main/status/ask-service.ts'
import { type ServiceProcess, serviceProcesses } from '#main/status/service-processes.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import { checkBucket } from './check-bucket.ts'
import { checkClock } from './check-clock.ts'
import { checkDatabase } from './check-database.ts'
import { checkDisk } from './check-disk.ts'
import { checkDns } from './check-dns.ts'
import { checkOpenFiles, readLimits } from './check-open-files.ts'
import { checkPort } from './check-ports.ts'
import { checkSettings } from './check-settings.ts'
import { checkTls } from './check-tls.ts'

/**
 * Looks at everything that a service needs, and leaves everything as it is. If the settings are invalid, only at them. Throws StartError
 * to root for another user's folder.
 */
export async function examine(readSettings: () => Config, signal: AbortSignal): Promise<Finding[]> {
  const unknown = unknownSettings().map((each) =>
    warning('settings', unknownSettingSentence(each), `correct or remove ${each.name}`),
  )
  let config: Config
  try {
    config = readSettings()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [problem('settings', error.message, '.env.example describes each setting'), ...unknown]
  }
  await assertOwnFolder(config.dataDir)
  if (await isAskedByFront(config)) config = { ...config, ...behindFront }
  const { blobStore } = config
  const { baseDomain, dataDir, databaseUrl: url, dnsServers: servers, origin, plcUrl } = config
  const { hostname: application, protocol } = new URL(origin)
  const lookUp = createLookUp({ servers, signal })
  const isPublic = protocol === 'https:'
  const answersDns = config.tls !== null && config.tls.dnsListen !== null
  const processes = await serviceProcesses(config)
  return [
    await checkSettings(config),
    ...unknown,
    ...(isPublic
      ? await checkDns({ answersDns, application, baseDomain }, lookUp)
      : [ok('DNS', 'an application at a loopback address needs none')]),
    ...(await Promise.all(processes.map(checkPort))),
    ...(await checkTls(config)),
    await checkClock(plcUrl, Date.now),
    await checkDatabase({ url, file: join(dataDir, 'sitehost.db') }),
    ...(await checkDisk(dataDir)),
    ...(blobStore === null ? [] : await checkBucket(blobStore.location)),
    ...(await openFilesOf(processes, dataDir)),
  ]
}

/** Whether the service that runs has decided that TLS ends in a front, where no setting says it. */
async function isAskedByFront({ dataDir, tlsMode }: Config): Promise<boolean> {
  if (tlsMode !== 'assumed') return false
  const running = await readAnnouncement(dataDir, 'app')
  return running !== null && running.askListen !== null
}

/** Of each process that runs; if none does, of what this shell starts. */
async function openFilesOf(
  processes: readonly ServiceProcess[],
  dataDir: string,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { address, name, part } of processes) {
    const isStopped = (await askService(address)) === 'stopped'
    const pid = isStopped ? null : await ifExists(readFile(pidFileOf(dataDir, part), 'utf8'))
    const limits = pid === null ? null : await readLimits(pid.trim())
    if (limits !== null) findings.push(checkOpenFiles(limits, name))
  }
  if (findings.length > 0) return findings
  return [checkOpenFiles((await readLimits('self')) ?? '', 'a service started here')]
}
