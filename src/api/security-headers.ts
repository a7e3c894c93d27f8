import { createMiddleware } from 'hono/factory'
import type { ApiEnv } from './context.ts'

interface InDocument {
  readonly scriptHash: string | undefined
  readonly styleHash: string | undefined
}

const contentSecurityPolicy = (frames: string, { scriptHash, styleHash }: InDocument): string =>
  [
    "default-src 'none'",
    // The one script and the one style sheet that are in a document itself.
    `script-src ${ownAnd(scriptHash)}`,
    `style-src ${ownAnd(styleHash)}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    // A site that was just published, in a sandbox.
    `frame-src ${frames}`,
    // The sign-in form redirects to the account's server, at any origin.
    "form-action 'self' https: http:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const ownAnd = (hash: string | undefined): string =>
  hash === undefined ? "'self'" : `'self' '${hash}'`

/** Browser features that none of our pages uses. */
const permissionsPolicy = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'

const hstsSeconds = 365 * 24 * 60 * 60

interface SecurityOptions {
  readonly isHttps: boolean
  /** Origins of the sites below the base domain, as a source of a content security policy. */
  readonly sites: string
}

/** Sets the headers of every answer, errors included. Without a `Cache-Control`, it is not cached. */
export function securityHeaders({ isHttps, sites }: SecurityOptions) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    await next()
    const { headers } = c.res
    const inDocument = { scriptHash: c.get('scriptHash'), styleHash: c.get('styleHash') }
    headers.set('content-security-policy', contentSecurityPolicy(sites, inDocument))
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'strict-origin-when-cross-origin')
    // Other origins keep no reference to windows of ours and embed none of our resources.
    headers.set('cross-origin-opener-policy', 'same-origin')
    headers.set('cross-origin-resource-policy', 'same-origin')
    headers.set('permissions-policy', permissionsPolicy)
    if (isHttps) headers.set('strict-transport-security', `max-age=${hstsSeconds}`)
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  })
}
