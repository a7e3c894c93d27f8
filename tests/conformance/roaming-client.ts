import { AppClient } from '../../devnet/app-client.ts'

let addresses = 0

/** An address that nobody has asked from: the front of the test's machine is trusted to name its clients. */
export function freshAddress(): string {
  addresses += 1
  return `2001:db8:${addresses.toString(16)}::1`
}

/** Comes from another network with each request, so that the limits of one network do not concern it. */
export class RoamingClient extends AppClient {
  override async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', freshAddress())
    return await super.fetch(path, { ...init, headers })
  }
}
