import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifExists } from '#blobs/storage-calls.ts'
import { assertOwnFolder } from '#main/commands/upkeep.ts'
import { type Config, ConfigError } from '#main/config/config.ts'
import { unknownSettingSentence, unknownSettings } from '#main/config/unknown-settings.ts'
import { askService } from '#main/status/ask-service.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import { checkClock } from './check-clock.ts'
import { checkDatabase } from './check-database.ts'
import { checkDisk } from './check-disk.ts'
import { checkDns } from './check-dns.ts'
import { checkOpenFiles, readLimits } from './check-open-files.ts'
import { checkFront, checkPort } from './check-ports.ts'
import { checkTlsPermission } from './check-tls-permission.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/**
 * Looks at everything that a service needs, and changes nothing. If the settings are invalid, only at them. Throws StartError
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
  const { baseDomain, dataDir, databaseUrl: url, dnsServers: servers, origin, plcUrl } = config
  const { hostname: application, protocol } = new URL(origin)
  const lookUp = createLookUp({ servers, signal })
  const isPublic = protocol === 'https:'
  return [
    ok('settings', `the application at ${origin}, sites under ${baseDomain}`),
    ...unknown,
    ...(isPublic
      ? await checkDns({ application, baseDomain }, lookUp)
      : [ok('DNS', 'an application at a loopback address needs none')]),
    await checkPort(config),
    ...(isPublic ? await checkFront() : []),
    await checkTlsPermission(config),
    await checkClock(plcUrl, Date.now),
    await checkDatabase({ url, file: join(dataDir, 'sitehost.db') }),
    ...(await checkDisk(dataDir)),
    await openFilesOf(config),
  ]
}

async function openFilesOf(config: Config): Promise<Finding> {
  const isStopped = (await askService(config)) === 'stopped'
  const pid = isStopped ? null : await ifExists(readFile(join(config.dataDir, 'pid'), 'utf8'))
  const { limits, isOfService } = await readLimits(pid?.trim() ?? null)
  return checkOpenFiles(limits, isOfService)
}
