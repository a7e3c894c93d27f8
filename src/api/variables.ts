import type { Server } from 'bun'
import type { BrowserSession } from '#store/browser-sessions.ts'

/** What Hono carries along with a request. */
export interface ApiEnv {
  readonly Bindings: { readonly server?: Server<unknown> }
  readonly Variables: { readonly session: BrowserSession }
}
