import type { FirehoseFormat } from './firehose-format.ts'
import { subscribeRepos, subscribeReposPath } from './firehose-repos.ts'
import { jetstream } from './jetstream.ts'

/** Where events come from, and how they are told there. */
export interface FirehoseSource {
  /** `ws:` or `wss:`, without what a connection adds. */
  readonly base: URL
  readonly format: FirehoseFormat
}

/**
 * The path decides: `/subscribe` at its end is a Jetstream; the origin alone, or the path of
 * `com.atproto.sync.subscribeRepos`, an account server or relay. Null for everything else.
 */
export function parseFirehoseUrl(input: string): FirehoseSource | null {
  if (!URL.canParse(input)) return null
  const base = new URL(input)
  const protocol = protocols[base.protocol]
  if (protocol === undefined || base.hash !== '') return null
  base.protocol = protocol
  if (base.pathname.endsWith('/subscribe')) return { base, format: jetstream }
  const isRepos = base.pathname === '/' || base.pathname === subscribeReposPath
  return isRepos ? { base, format: subscribeRepos } : null
}

const protocols: Readonly<Record<string, string>> = {
  'http:': 'ws:',
  'https:': 'wss:',
  'ws:': 'ws:',
  'wss:': 'wss:',
}
