import { devSettings } from '#main/commands/dev-network.ts'
import type { OwnDatabase } from '#tests/support/database/databases.ts'
import type { Network } from '../../../devnet/start.ts'
import { ownPort } from './own-port.ts'

/** Settings by part of the service. */
type SettingsOfParts = { readonly [part in 'app' | 'hosting']: Record<string, string> }

const token = 'the-token-of-both-processes'

/** Of the application in one process, ingest and edge in another, on one database. */
export async function settingsOf(network: Network, own: OwnDatabase): Promise<SettingsOfParts> {
  const [port, hostingPort, internalPort] = [await ownPort(), await ownPort(), await ownPort()]
  const both = {
    ...devSettings(network),
    ...{ LOG_LEVEL: 'info', SHUTDOWN_SECONDS_MAX: '0', INTERNAL_TOKEN: token },
    ...(own.options.url !== undefined && { DATABASE_URL: own.options.url }),
    BASE_URL: `http://127.0.0.1:${port}`,
  }
  const internal = `127.0.0.1:${internalPort}`
  return {
    app: { ...both, ROLES: 'app', PORT: String(port), HOSTING_URL: `http://${internal}` },
    hosting: {
      ...{ ...both, ROLES: 'edge,ingest', PORT: String(hostingPort), INTERNAL_LISTEN: internal },
      ASK_LISTEN: `127.0.0.1:${await ownPort()}`,
    },
  }
}
