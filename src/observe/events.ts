import type { Log } from './log.ts'

interface EventKind {
  readonly level: 'info' | 'warn' | 'error'
  /** What one greps for. */
  readonly message: string
}

/** The events that matter to whoever runs the service. A name is also the label of its counter. */
export const events = {
  signed_in: { level: 'info', message: 'signed in' },
  sign_in_refused: { level: 'warn', message: 'sign-in refused' },
  signed_out: { level: 'info', message: 'signed out' },
  publish_started: { level: 'info', message: 'publish started' },
  publish_ended: { level: 'info', message: 'publish ended' },
  publish_failed: { level: 'warn', message: 'publish failed' },
  publish_cancelled: { level: 'info', message: 'publish cancelled' },
  version_live: { level: 'info', message: 'version live' },
  version_refused: { level: 'warn', message: 'version refused' },
  version_forgotten: { level: 'info', message: 'version forgotten' },
  token_created: { level: 'info', message: 'deploy token created' },
  token_revoked: { level: 'info', message: 'deploy token revoked' },
  token_refused: { level: 'warn', message: 'deploy token refused' },
  token_exchanged: { level: 'info', message: 'deploy token exchanged' },
  publisher_added: { level: 'info', message: 'publisher added' },
  publisher_removed: { level: 'info', message: 'publisher removed' },
  webhook_added: { level: 'info', message: 'webhook added' },
  webhook_removed: { level: 'info', message: 'webhook removed' },
  webhook_disabled: { level: 'warn', message: 'webhook disabled' },
  site_deleted: { level: 'info', message: 'site deleted' },
  site_removed: { level: 'info', message: 'site removed' },
  subdomain_claimed: { level: 'info', message: 'subdomain claimed' },
  subdomain_renamed: { level: 'info', message: 'subdomain renamed' },
  subdomain_released: { level: 'info', message: 'subdomain released' },
  domain_added: { level: 'info', message: 'custom domain added' },
  domain_verified: { level: 'info', message: 'custom domain verified' },
  domain_unverified: { level: 'info', message: 'custom domain not verified' },
  domain_lost: { level: 'warn', message: 'custom domain lost' },
  domain_deleted: { level: 'info', message: 'custom domain deleted' },
  certificate_permitted: { level: 'info', message: 'certificate permitted' },
  certificate_issued: { level: 'info', message: 'certificate issued' },
  certificate_not_issued: { level: 'warn', message: 'certificate not issued' },
  certificate_refused: { level: 'info', message: 'certificate refused' },
  cdn_purged: { level: 'info', message: 'CDN purged' },
  cdn_not_purged: { level: 'warn', message: 'CDN not purged' },
  account_hidden: { level: 'warn', message: 'account hidden' },
  account_back: { level: 'info', message: 'account back' },
  account_moved: { level: 'info', message: 'account moved' },
  account_deleted: { level: 'info', message: 'account deleted' },
  taken_down: { level: 'warn', message: 'taken down' },
  brought_back: { level: 'warn', message: 'brought back' },
  report_received: { level: 'info', message: 'report received' },
  report_handled: { level: 'info', message: 'report handled' },
  admin_acted: { level: 'info', message: 'administrator acted' },
  admin_signed_in: { level: 'info', message: 'administrator signed in' },
  admin_refused: { level: 'warn', message: 'administrator not signed in' },
  admin_signed_out: { level: 'info', message: 'administrator signed out' },
} as const satisfies Readonly<Record<string, EventKind>>

export type EventName = keyof typeof events

export const eventNames = Object.keys(events) as EventName[]

/** Facts of an event. The same fact has the same name everywhere. */
export interface EventFields {
  readonly did?: string
  readonly site?: string | null
  /** The id of a publish. */
  readonly job?: string
  readonly files?: number
  readonly bytes?: number
  readonly seconds?: number
  /** Why, in a word or a sentence. */
  readonly reason?: string
  readonly host?: string
  readonly hosts?: number | 'all'
  /** The former name of a host that was renamed. */
  readonly formerHost?: string
  /** The CID of the record. */
  readonly version?: string | null
  /** The administrator who did it. */
  readonly actor?: string
  /** What the administrator did, and to what. */
  readonly action?: string
  readonly subject?: string
  /** What became of it. */
  readonly outcome?: string
  /** The network of the client. */
  readonly network?: string
  /** The host of the account's server. */
  readonly server?: string
  readonly error?: unknown
}

/** Logs one line for the event and counts it; counts it even if the log leaves the line out. */
export function recordEvent(
  log: Log,
  name: EventName,
  fields: EventFields,
  level: EventKind['level'] = events[name].level,
): void {
  log.count?.(name)
  log[level](events[name].message, { event: name, ...fields })
}
