import { foreignNamespaces } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import type { WebhookEvent } from '#site/webhook-event.ts'
import type { ForeignWebhook } from './foreign-webhook.ts'

/** What a webhook of ours says otherwise than the record, or not at all; for its owner. */
export const translationNotes = [
  'other-records',
  'backlinks',
  'created-or-updated',
  'public-secret',
  'secret-elsewhere',
] as const

export type TranslationNote = (typeof translationNotes)[number]

/** Why a webhook of ours cannot stand for it. */
export const translationProblems = ['other-account', 'not-about-sites'] as const

export type TranslationProblem = (typeof translationProblems)[number]

export type Translation =
  | { readonly problem: TranslationProblem }
  | {
      readonly problem: null
      /** The record key of the site that it is about; null: all sites. */
      readonly rkey: SiteName | null
      readonly events: readonly WebhookEvent[]
      readonly notes: readonly TranslationNote[]
    }

/** What the record of this account's would be as a webhook of ours, but for its URL. */
export function translateWebhook(webhook: ForeignWebhook, owner: Did): Translation {
  const scope = scopeOf(webhook.scope)
  if (scope === null || scope.did !== owner) return { problem: 'other-account' }
  const rkey = scope.rkey === null ? null : parseSiteName(scope.rkey)
  const isAboutSites = manifests.some((fs) => matches(scope.collection, fs))
  if (!isAboutSites || (scope.rkey !== null && rkey === null)) return { problem: 'not-about-sites' }
  const { hasBacklinks, isSecretElsewhere, recordEvents, secret } = webhook
  const isPublished = recordEvents.some((event) => event !== 'delete')
  const notes: Readonly<Record<TranslationNote, boolean>> = {
    'other-records': !manifests.includes(scope.collection),
    backlinks: hasBacklinks,
    'created-or-updated':
      isPublished && !(recordEvents.includes('create') && recordEvents.includes('update')),
    'public-secret': secret !== null,
    'secret-elsewhere': isSecretElsewhere,
  }
  return {
    problem: null,
    rkey,
    events: [
      ...(isPublished ? (['site.published'] as const) : []),
      ...(recordEvents.includes('delete') ? (['site.deleted'] as const) : []),
    ],
    notes: translationNotes.filter((note) => notes[note]),
  }
}

const manifests: readonly string[] = foreignNamespaces.map(({ fs }) => fs)

interface Scope {
  readonly did: string
  /** `*` for all collections; may end in `*`. */
  readonly collection: string
  readonly rkey: string | null
}

function scopeOf(text: string): Scope | null {
  const [, did, collection = '*', rkey = null] =
    text.match(/^at:\/\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/) ?? []
  return did === undefined ? null : { did, collection, rkey }
}

const matches = (pattern: string, collection: string): boolean =>
  pattern.endsWith('*') ? collection.startsWith(pattern.slice(0, -1)) : pattern === collection
