import { startServers } from './servers.ts'

/** A job of a forge: what its tokens say of it. */
export interface ForgeJob {
  readonly claims: Readonly<Record<string, unknown>>
  /** Seconds; negative: its tokens have expired. */
  readonly expiresIn?: number
}

/** A real OpenID provider on loopback (`oidc-provider`) that vouches for jobs as a forge does. */
export interface ForgeIssuer extends AsyncDisposable {
  readonly url: string
  /** What GitHub and Forgejo set in the environment of a job. */
  environmentOf(job: ForgeJob): {
    readonly ACTIONS_ID_TOKEN_REQUEST_URL: string
    readonly ACTIONS_ID_TOKEN_REQUEST_TOKEN: string
  }
  /** The token of a job, as it fetches it. */
  tokenOf(job: ForgeJob, audience: string): Promise<string>
  /** From now on it signs with a new key, and publishes the one before it, too. */
  rotateKeys(): Promise<void>
}

/** Throws DevnetStartError. */
export async function startIssuer(): Promise<ForgeIssuer> {
  const servers = await startServers<{ url: string }>({ script: 'serve-issuer.mjs', settings: {} })
  const { url } = servers.ready
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, init)
    if (!response.ok) throw new Error(`the issuer answers ${response.status}`)
    return await response.json()
  }
  const requestToken = ({ claims, expiresIn = 300 }: ForgeJob) =>
    Buffer.from(JSON.stringify({ claims, expiresIn })).toString('base64url')
  return {
    url,
    environmentOf: (job) => ({
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/job-token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken(job),
    }),
    async tokenOf(job, audience) {
      const headers = { authorization: `Bearer ${requestToken(job)}` }
      const path = `/job-token?audience=${encodeURIComponent(audience)}`
      const { value } = (await ask(path, { headers })) as { value: string }
      return value
    },
    rotateKeys: async () => void (await ask('/rotate', { method: 'POST' })),
    [Symbol.asyncDispose]: servers.stop,
  }
}
