import type { Server } from 'bun'

/** What Hono carries along with a request. */
export interface ApiEnv {
  readonly Bindings: { readonly server?: Server<unknown> }
  readonly Variables: {
    /** Fields of a failure alongside its `error`. */
    readonly failureFields: { readonly success?: false } | undefined
  }
}
