import { z } from 'zod'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import type { SiteName } from '#site/site-name.ts'
import { type Instance, type InstanceOptions, instanceAt, openInstance } from './instance.ts'

/** A Sitehost, asked with a deploy token; one that was made for this is revoked on disposal. */
interface Deployer extends AsyncDisposable {
  readonly instance: Instance
}

interface Purpose {
  readonly site: SiteName
  readonly isPreview: boolean
}

const created = z.object({ secret: z.string(), token: z.object({ id: z.string() }) })

/** Whether the environment has what a job deploys with: nobody needs to be signed in then. */
export const hasJobToken = ({ instance }: Pick<CommandContext, 'instance'>): boolean =>
  instance.token !== undefined || instance.idToken !== undefined || instance.idTokenRequest !== null

/**
 * With the deploy token of the environment; else with one in exchange for the token of the CI job; else with one that the
 * signed-in account makes for this. Throws CommandError.
 */
export async function deployerAt(
  origin: string,
  purpose: Purpose,
  options: InstanceOptions,
  context: CommandContext,
): Promise<Deployer> {
  const { token } = context.instance
  if (token !== undefined) return deployerWith(token, origin, context)
  if (hasJobToken(context)) {
    return deployerWith(await exchanged(origin, purpose, context), origin, context)
  }
  const account = await openInstance({ ...options, instance: origin }, context)
  const path = `/api/site/${encodeURIComponent(purpose.site)}/tokens`
  const scope = purpose.isPreview ? 'preview' : 'deploy'
  const json = { name: 'sitehost deploy --via', scope, expiresInDays: 1 }
  const { secret, token: made } = await account.ask({ method: 'POST', path, json }, created)
  return {
    ...deployerWith(secret, origin, context),
    async [Symbol.asyncDispose]() {
      await account
        .ask({ method: 'DELETE', path: `${path}/${made.id}` }, z.unknown())
        .catch((error) => {
          if (!(error instanceof CommandError)) throw error
          context.console.warn('The token of this deploy was not revoked; it ends in a day.')
        })
    },
  }
}

const deployerWith = (token: string, origin: string, context: CommandContext): Deployer => ({
  instance: instanceAt(origin, async () => token, context),
  async [Symbol.asyncDispose]() {},
})

async function exchanged(
  origin: string,
  { site }: Purpose,
  context: CommandContext,
): Promise<string> {
  const { idToken, owner: account } = context.instance
  if (account === undefined) {
    throw new UsageError('Whose site is it? Name its owner, a handle or DID, in SITEHOST_ACCOUNT.')
  }
  const token = idToken ?? (await jobToken(origin, context))
  const request = { path: '/api/tokens/exchange', json: { account, site, token } }
  const answer = z.object({ secret: z.string() })
  return (await instanceAt(origin, null, context).ask({ method: 'POST', ...request }, answer))
    .secret
}

/** As GitHub and Forgejo offer it to a job that may have one. */
async function jobToken(audience: string, context: CommandContext): Promise<string> {
  const { idTokenRequest } = context.instance
  if (idTokenRequest === null) throw new TypeError('no address of tokens')
  const url = new URL(idTokenRequest.url)
  url.searchParams.set('audience', audience)
  const forge = instanceAt(url.origin, async () => idTokenRequest.token, context)
  const path = url.pathname + url.search
  return (await forge.ask({ method: 'GET', path }, z.object({ value: z.string() }))).value
}
