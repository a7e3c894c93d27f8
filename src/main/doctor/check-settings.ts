import { type Finding, ok, warning } from '#cli/diagnosis/finding.ts'
import type { Config } from '#main/config/config.ts'
import { readAnnouncement } from '#main/process/service-address.ts'

/** Whether the service that runs, if one does, was started with the settings of this command. */
export async function checkSettings({
  baseDomain,
  dataDir,
  origin,
}: Pick<Config, 'baseDomain' | 'dataDir' | 'origin'>): Promise<Finding> {
  const running = await readAnnouncement(dataDir, 'app')
  if (running === null || running.origin === origin) {
    return ok('settings', `the application at ${origin}, sites under ${baseDomain}`)
  }
  return warning(
    'settings',
    `the service on this data folder is at ${running.origin}, but these settings say ${origin}`,
    'run doctor with the settings of the service: other findings are about these',
  )
}
