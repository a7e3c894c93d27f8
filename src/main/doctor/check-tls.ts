import { FileCertificates } from '#certificates/file-certificates.ts'
import { type Finding, problem, warning } from '#cli/diagnosis/finding.ts'
import type { Config } from '#main/config/config.ts'
import { readAnnouncement } from '#main/process/service-address.ts'
import { certificateFilesProblem } from '#main/status/certificate-status.ts'
import { checkAuthorities } from './check-authorities.ts'
import { checkHttp3 } from './check-http3.ts'
import { checkOwnTls } from './check-own-tls.ts'
import { checkFront } from './check-ports.ts'
import { checkTlsPermission } from './check-tls-permission.ts'

/** What ends TLS: this service, or a front that asks it for permission. */
export async function checkTls(config: Config): Promise<Finding[]> {
  const { hostname, protocol } = new URL(config.origin)
  if (config.tls !== null) {
    const { files, ordering } = config.tls
    const own = await checkOwnTls({ ...config.tls, isOrdering: ordering !== null }, hostname)
    return [
      ...own,
      ...(await checkFiles(files)),
      ...(ordering === null ? [] : await checkAuthorities(ordering)),
      ...(await checkHttp3(config.tls, hostname)),
    ]
  }
  const front = protocol === 'https:' ? await checkFront() : []
  return [...front, await checkPermissionOf(config)]
}

async function checkFiles(files: NonNullable<Config['tls']>['files']): Promise<Finding[]> {
  const seen = await certificateFilesProblem(new FileCertificates(files))
  if (seen === null) return []
  const advice =
    'correct TLS_FILES or the files: a service that runs keeps the certificates that it has read before, and none starts'
  return [problem('TLS', seen, advice)]
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
