import type { Server } from 'bun'

/** Hono's types for a request's bindings and variables. */
export interface ApiEnv {
  readonly Bindings: { readonly server?: Server<unknown> }
  readonly Variables: {
    /** Fields of a failure in addition to `error`. */
    readonly failureFields: { readonly success?: false } | undefined
  }
}
