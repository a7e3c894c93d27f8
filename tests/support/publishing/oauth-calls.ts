// A process that calls an account's server many times at once, as often as a line arrives on its standard
// input; each time it answers with the statuses of all calls, as JSON.
import type { Did } from '#site/site-address.ts'
import { type OAuthInstanceOptions, openOAuthInstance } from './oauth-instance.ts'

export interface OAuthCallsOptions extends OAuthInstanceOptions {
  readonly did: Did
  readonly calls: number
}

const options = JSON.parse(Bun.argv[2] ?? '') as OAuthCallsOptions
const { did, calls } = options
await using instance = await openOAuthInstance(options)

async function call(): Promise<number | string> {
  try {
    const session = await instance.oauth.session(did)
    const answer = await session.handle('/xrpc/com.atproto.server.getSession')
    await answer.body?.cancel()
    return answer.status
  } catch (error) {
    return String(error)
  }
}

process.stdout.write('ready\n')
for await (const _ of console) {
  const statuses = await Promise.all(Array.from({ length: calls }, call))
  process.stdout.write(`${JSON.stringify(statuses)}\n`)
}
