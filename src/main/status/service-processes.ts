import type { Config } from '#main/config/config.ts'
import { type ServicePart, servicePartsOf } from '#main/process/data-lock.ts'
import { type Announcement, readAnnouncement } from '#main/process/service-address.ts'

/** A process of the service, whether it runs or not. */
export interface ServiceProcess {
  /** For people. */
  readonly name: 'the service' | 'the application' | 'the hosting process'
  /** Names its files. */
  readonly part: ServicePart
  /** Where it listens; null: it does not run, and these settings are not its own. */
  readonly address: Pick<Announcement, 'host' | 'origin' | 'port'> | null
  /** Whether the settings are those of this process. */
  readonly isOfSettings: boolean
  /** Whether it has said itself where it listens; otherwise the address is that of these settings. */
  readonly isAnnounced: boolean
}

/**
 * The one process of the service on this data folder, or the two of the application and of the hosting part: as they announced
 * themselves, else as these settings say.
 */
export async function serviceProcesses({
  dataDir,
  host,
  origin,
  port,
  roles,
}: Pick<Config, 'dataDir' | 'host' | 'origin' | 'port' | 'roles'>): Promise<ServiceProcess[]> {
  const own = { host, origin, port }
  const app = await readAnnouncement(dataDir, 'app')
  const hosting = await readAnnouncement(dataDir, 'hosting')
  const parts = servicePartsOf(roles)
  const areTwo = parts.length === 1 || hosting !== null || app?.parts.length === 1
  if (!areTwo)
    return [
      {
        name: 'the service',
        part: 'app',
        address: app ?? own,
        isOfSettings: true,
        isAnnounced: app !== null,
      },
    ]
  const processOf = (part: ServicePart, announced: Announcement | null) => {
    const isOfSettings = parts.length === 1 && parts[0] === part
    const address = announced ?? (isOfSettings ? own : null)
    return { part, address, isOfSettings, isAnnounced: announced !== null }
  }
  return [
    { name: 'the application', ...processOf('app', app) },
    { name: 'the hosting process', ...processOf('hosting', hosting) },
  ]
}
