import type { Server } from 'bun'
import type { Did } from '#site/site-address.ts'

/** What Hono carries along with a request. */
export interface ApiEnv {
  readonly Bindings: { readonly server?: Server<unknown> }
  readonly Variables: {
    /** Of routes with a limit: counts this request for the account. Throws ApiError 429. */
    readonly countAccount?: (did: Did) => void
    /** Fields of a failure alongside its `error`. */
    readonly failureFields: { readonly success?: false } | undefined
  }
}
