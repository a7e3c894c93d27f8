import { type Finding, warning } from '#cli/diagnosis/finding.ts'
import type { Config } from '#main/config/config.ts'
import { readAnnouncement } from '#main/process/service-address.ts'
import { checkHttp3 } from './check-http3.ts'
import { checkOwnTls } from './check-own-tls.ts'
import { checkFront } from './check-ports.ts'
import { checkTlsPermission } from './check-tls-permission.ts'

/** What ends TLS: this service, or a front that asks it for permission. */
export async function checkTls(config: Config): Promise<Finding[]> {
  const { hostname, protocol } = new URL(config.origin)
  if (config.tls !== null) {
    const isOrdering = config.tls.ordering !== null
    const own = await checkOwnTls({ ...config.tls, isOrdering }, hostname)
    return [...own, ...(await checkHttp3(config.tls, hostname))]
  }
  const front = protocol === 'https:' ? await checkFront() : []
  return [...front, await checkPermissionOf(config)]
}

/** Where the hosting process answers a front; the settings of the application do not say it. */
async function checkPermissionOf(config: Config): Promise<Finding> {
  if (config.roles.hosting) return await checkTlsPermission(config)
  const hosting = await readAnnouncement(config.dataDir, 'hosting')
  if (hosting !== null) return await checkTlsPermission({ ...config, askListen: hosting.askListen })
  return warning(
    'certificates',
    'the hosting process does not run, and nobody else answers the front',
    'start it, or run doctor with its settings too',
  )
}
