import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { createAccount } from '#tests/support/accounts.ts'
import { openOAuthRepo } from '#tests/support/publishing/oauth-repo.ts'
import { AppClient } from '../../devnet/app-client.ts'
import type { Network } from '../../devnet/start.ts'
import { type BenchFile, storedForm } from './files.ts'

let accounts = 0
const nextHandle = (): string => `bench${accounts++}.test`

export interface BenchAccount {
  readonly did: string
  readonly handle: string
}

/** An account that is nobody's yet, so that nothing is used again. */
export async function freshAccount(network: Network): Promise<BenchAccount> {
  return await createAccount(network.pds, nextHandle())
}

/** A browser of the service, signed in. */
export async function signedIn(app: string, { handle }: BenchAccount): Promise<AppClient> {
  const client = new AppClient(app)
  await client.signIn(handle, 'hunter2pass')
  return client
}

/** Signed in as the service is: a call with a password session costs the server half of that. */
export const bareRepo = (network: Network, { handle }: BenchAccount): Promise<AccountRepo> =>
  openOAuthRepo(network, handle)

/** Uploads what publishing would, eight at a time, with nothing around it; returns the milliseconds. */
export async function uploadBare(repo: AccountRepo, files: readonly BenchFile[]): Promise<number> {
  const stored = files.map(storedForm)
  const start = performance.now()
  await mapAtOnce(stored, { atOnce: 8, signal: new AbortController().signal }, (bytes) =>
    repo.uploadBlob(new Blob([bytes])),
  )
  return performance.now() - start
}
