import { Identities } from '#atproto/identity/identity.ts'
import { createOAuth } from '#atproto/oauth/oauth.ts'
import { createSeal } from '#atproto/oauth/seal.ts'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { Log } from '#observe/log.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { memoryRows } from '#tests/support/database/memory-rows.ts'
import { consentOverHttp } from '../../../devnet/consent.ts'
import type { Network } from '../../../devnet/start.ts'

/** The repository of an account that has just signed in, its session in memory: no service around it. */
export async function openOAuthRepo(network: Network, handle: string): Promise<AccountRepo> {
  const fetch = createSafeFetch({ allowPrivate: true, perHost: { max: 32, waitingMax: 1000 } })
  const oauth = createOAuth({
    origin: 'http://127.0.0.1:3000',
    keys: null,
    withLease: (_, work) => work(),
    identities: new Identities({
      fetch,
      plcUrl: network.plc,
      handleResolverUrl: network.pds,
      allowHttp: true,
    }),
    fetch,
    allowHttp: true,
    seal: await createSeal(['a secret of thirty-two characters'], 'bench'),
    rows: memoryRows(),
    log: silent,
  })
  const { url, nonce } = await oauth.begin(handle)
  const callback = await consentOverHttp(url, handle, 'hunter2pass')
  const did = await oauth.complete(callback.searchParams, nonce, async (signedIn) => signedIn)
  return new AccountRepo(did, oauth.session)
}

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
