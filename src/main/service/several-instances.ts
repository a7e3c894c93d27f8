import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import { urlHostOf } from '#http/url-host.ts'
import type { ListenAddress } from '#main/config/setting-kinds.ts'
import { partSuffixes, servicePartsOf } from '#main/process/data-lock.ts'
import { keepInstance } from '#main/process/keep-instance.ts'
import type { StartError } from '#main/process/start-failure.ts'
import { version } from '#package.json'
import { GoneInstances } from '#publish/jobs/gone-instances.ts'
import { elapsed, type ServiceParts } from './open-parts.ts'

const lookEveryMs = 5_000
const sweepEveryMs = 60_000

/** Makes this process known to the other instances on its database, until disposal. Does nothing for one that is the only one. */
export async function joinInstances(
  { config, deploys, log, stores }: ServiceParts,
  opened: AsyncDisposableStack,
  onLost: (reason: StartError) => void,
): Promise<void> {
  const { internal, isOneOfSeveral, roles } = config
  if (!isOneOfSeveral || internal === null) return
  const [part = 'app'] = servicePartsOf(roles)
  const instance = {
    id: `${stores.spool.instance}${partSuffixes[part]}`,
    address: urlOf(internal.listen),
    roles: rolesOf(roles),
    version,
  }
  const returned = (): void => {
    deploys.forgetGone().catch((error) => log.error('gone deploys not forgotten', { error }))
  }
  const options = { instance, log, onLost, onReturned: returned }
  opened.use(await keepInstance(stores.renewalDb ?? stores.db, options))
}

const urlOf = ({ host, port }: ListenAddress): string => `http://${urlHostOf(host)}:${port}`

/** As ROLES has them. */
const rolesOf = ({ app, hosting }: { readonly app: boolean; readonly hosting: boolean }): string =>
  [...(app ? ['app'] : []), ...(hosting ? ['edge', 'ingest'] : [])].join()

/** Ends what gone instances have left, and removes what others have deleted of this one, until the signal aborts. */
export async function followInstances(parts: ServiceParts): Promise<void> {
  const { config, deploys, log, now, signal, stores } = parts
  if (!config.isOneOfSeveral) return
  const gone = new GoneInstances({ ...stores, log, now, elapsed, goneMs: config.instanceGoneMs })
  const looks = { everyMs: lookEveryMs, failure: 'gone instances not ended' }
  const sweeps = { everyMs: sweepEveryMs, failure: 'gone deploys not forgotten' }
  await Promise.all([
    repeatEvery(looks, () => gone.look(), { log, signal }),
    repeatEvery(sweeps, () => deploys.forgetGone(), { log, signal }),
  ])
}
