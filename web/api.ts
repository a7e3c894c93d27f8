/**
 * A call that did not do what it was for. `message` is a sentence for the person at the screen.
 * `status` is null where there is no answer to speak of: the connection broke off, or a job failed.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number | null

  constructor(status: number | null, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

export type AuthStatus = { authenticated: true; did: string } | { authenticated: false }

export interface User {
  readonly did: string
  readonly handle: string
}

/** Times are ISO 8601. */
export interface Site {
  readonly rkey: string
  readonly displayName: string
  readonly uri: string
  /** Null until a version of it was read. */
  readonly cid: string | null
  readonly fileCount: number
  readonly bytes: number
  readonly url: string
  readonly domains: readonly SiteDomain[]
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly publishedAt: string | null
  readonly problems: readonly string[]
}

/** A name that leads to the site. A custom domain is served once it is verified. */
export interface SiteDomain {
  readonly type: 'sitehost' | 'custom'
  readonly domain: string
  readonly verified?: boolean
}

/** Where to send the person, to sign in with their own server. */
export async function startSignIn(handle: string): Promise<string> {
  const { url } = await call<{ url: string }>('/api/auth/signin', post({ handle }))
  return url
}

export const readAuthStatus = () => call<AuthStatus>('/api/auth/status')

export const readUser = () => call<User>('/api/user/info')

export async function listSites(): Promise<readonly Site[]> {
  const { sites } = await call<{ sites: readonly Site[] }>('/api/user/sites')
  return sites
}

export async function signOut(): Promise<void> {
  await call('/api/auth/logout', post({}))
}

/** Ends a job that has not begun to write. Throws ApiError, with 409 when it is too late. */
export async function cancelJob(jobId: string): Promise<void> {
  await call(`/sitehost/upload-progress/${jobId}`, { method: 'DELETE' })
}

/** The sentence in an error's body, whichever of the server's shapes it has. */
export function errorSentence(body: unknown, status: number): string {
  const { error, details, id } = isObject(body) ? body : {}
  if (typeof details === 'string') return details
  if (typeof error !== 'string') return `Sitehost answered with an error (${status}). Try again.`
  return typeof id === 'string' ? `${error} (${id})` : error
}

// The answers are trusted to have the contract's shapes: this script came from the same server.
async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, { ...init, credentials: 'same-origin' })
  } catch (cause) {
    throw new ApiError(null, 'Sitehost cannot be reached. Check your connection and try again.', {
      cause,
    })
  }
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw new ApiError(response.status, errorSentence(body, response.status))
  return body as T
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
