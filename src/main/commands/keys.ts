import { ClientKeysFullError } from '#atproto/oauth/client-keys.ts'
import type { DataOptions } from '#cli/program.ts'
import { readSecrets } from '#main/config/secret-key.ts'
import { hasLostSecret } from '#main/maintenance/check-seals.ts'
import { StartError } from '#main/process/start-failure.ts'
import { openClientKeys } from '#main/service/open-oauth.ts'
import { openUpkeep } from './upkeep.ts'

/** Lists the client keys of this service, newest first; `rotate` adds a new one before. */
export async function runKeys(
  action: 'list' | 'rotate',
  options: DataOptions,
  signal: AbortSignal,
): Promise<void> {
  await using upkeep = await openUpkeep(options, signal)
  const { config, db } = upkeep
  if (!config.origin.startsWith('https:')) {
    throw new StartError('a service at a loopback address has no keys (BASE_URL)')
  }
  const secrets = await readSecrets(config.secrets, config.dataDir)
  if (await hasLostSecret({ db, secrets })) {
    throw new StartError(
      'the stored keys are sealed with another SECRET_KEY: run this with the settings of the service',
    )
  }
  const keys = await openClientKeys({ db, secrets })
  // Creates the first key: rotation needs one to replace.
  await keys.inUse()
  if (action === 'rotate') await keys.rotate().catch(orFull)
  const [signing] = await keys.inUse()
  const needed = await keys.neededIds()
  for (const key of await keys.all()) {
    const { kid } = key.jwk
    const state =
      key === signing ? 'signs' : key.createdAt > signing.createdAt ? 'next' : 'replaced'
    const sessions = needed.has(kid) ? 'has sessions' : 'no sessions'
    console.log(`${kid}  ${new Date(key.createdAt).toISOString()}  ${state.padEnd(8)}  ${sessions}`)
  }
}

function orFull(error: unknown): never {
  throw error instanceof ClientKeysFullError ? new StartError(error.message) : error
}
