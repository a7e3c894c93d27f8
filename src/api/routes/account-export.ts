import type { ApiContext } from '#api/context.ts'
import { type Did, siteUri } from '#site/site-address.ts'
import { decodeSnapshot, type Snapshot, SnapshotFormatError } from '#site/visit/snapshot.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import type { Db } from '#store/database/database.ts'
import {
  findSnapshotText,
  listAccountJobs,
  listAccountQueue,
  listAccountSessions,
  listAccountUploads,
} from '#store/lifecycle/account-data.ts'
import { listCustomDomains } from '#store/names/custom-domains.ts'
import { listKeptSubdomains } from '#store/names/kept-subdomains.ts'
import { listSubdomains } from '#store/names/subdomains.ts'
import { listSites, type Site } from '#store/sites/sites.ts'
import { listVersions, type Version } from '#store/sites/versions.ts'
import { customDomainRow, siteDomainRows } from './domain-rows.ts'

type ExportContext = Pick<ApiContext, 'baseDomain' | 'db' | 'log' | 'now' | 'siteUrl'>

/** `sitehost-alice.example.com-2026-11-21.json`; in place of a handle there may be a DID. */
export function exportFileName(account: string, now: number): string {
  const name = account.replace(/[^a-zA-Z0-9.-]/g, '-')
  return `sitehost-${name}-${new Date(now).toISOString().slice(0, 10)}.json`
}

/**
 * All data of the account as one JSON object (docs/http-api.md, "Leaving"), without tokens, secrets and other
 * accounts' data. Streamed, with one version of one site in memory at a time; complete when its last field is
 * `"complete": true`, and broken off before that when a site was removed meanwhile. Disposes of `held` at the end.
 */
export function exportAccount(
  did: Did,
  context: ExportContext,
  held: Disposable,
): ReadableStream<Uint8Array> {
  const pieces = exportPieces(did, context)
  let isWanted = true
  return new ReadableStream<string>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next()
        if (!done) return controller.enqueue(value)
        controller.close()
        held[Symbol.dispose]()
      } catch (error) {
        held[Symbol.dispose]()
        if (!isWanted) return
        const level = error instanceof ExportOvertakenError ? 'warn' : 'error'
        context.log[level]('export broke off', { did, error })
        controller.error(error)
      }
    },
    async cancel() {
      isWanted = false
      held[Symbol.dispose]()
      await pieces.return(undefined)
    },
  }).pipeThrough(new TextEncoderStream())
}

async function* exportPieces(did: Did, context: ExportContext): AsyncGenerator<string> {
  const { db, now } = context
  const account = await findAccount(db, did)
  const subdomains = await listSubdomains(db, did)
  const keptNames = await listKeptSubdomains(db, did, now())
  const customDomains = await listCustomDomains(db, did)
  const sites = await listSites(db, did)
  yield* jsonObject({
    made: isoOf(now()),
    account: {
      did,
      handle: account?.handle ?? null,
      pds: account?.pds ?? null,
      status: account?.status ?? null,
      createdAt: isoOf(account?.createdAt),
      updatedAt: isoOf(account?.updatedAt),
    },
    sites: sites.map((site) => {
      const domains = siteDomainRows(site.name, subdomains, customDomains)
      return () => sitePieces({ ...site, domains }, context)
    }),
    sitehostDomains: subdomains.map(({ domain, site, isPrimary, createdAt, updatedAt }) => ({
      domain,
      rkey: site,
      primary: isPrimary,
      createdAt: isoOf(createdAt),
      updatedAt: isoOf(updatedAt),
    })),
    keptNames: keptNames.map(({ domain, keptUntil }) => ({ domain, keptUntil: isoOf(keptUntil) })),
    customDomains: customDomains.map((domain) => ({
      ...customDomainRow(domain, context.baseDomain),
      primary: domain.isPrimary,
      confirmedAt: isoOf(domain.confirmedAt),
      misses: domain.misses,
      missingSince: isoOf(domain.missingSince),
      updatedAt: isoOf(domain.updatedAt),
    })),
    ...(await activityOf(did, context)),
    complete: async function* () {
      await assertAllHere(did, sites, db)
      yield 'true'
    },
  })
}

/** Throws ExportOvertakenError when the account or one of its sites was deleted while it was read. */
async function assertAllHere(did: Did, sites: readonly Site[], db: Db): Promise<void> {
  const here = new Set((await listSites(db, did)).map(({ name }) => name))
  if (await isDeletedHere(db, did)) throw new ExportOvertakenError('its account has left')
  const removed = sites.filter(({ name }) => !here.has(name))
  if (removed.length > 0) throw new ExportOvertakenError(`sites removed: ${removed.length}`)
}

class ExportOvertakenError extends Error {
  override readonly name = 'ExportOvertakenError'
}

async function activityOf(did: Did, { db }: ExportContext) {
  const jobs = await listAccountJobs(db, did)
  const sessions = await listAccountSessions(db, did)
  const uploads = await listAccountUploads(db, did)
  const waiting = await listAccountQueue(db, did)
  return {
    jobs: jobs.map(({ site, createdAt, finishedAt, ...job }) => ({
      ...job,
      rkey: site,
      createdAt: isoOf(createdAt),
      finishedAt: isoOf(finishedAt),
    })),
    sessions: sessions.map(({ device, createdAt, seenAt, expiresAt }) => ({
      device,
      createdAt: isoOf(createdAt),
      seenAt: isoOf(seenAt),
      expiresAt: isoOf(expiresAt),
    })),
    uploadedBlobs: uploads.map(({ blob, uploadedAt }) => ({
      cid: blob.ref.$link,
      size: blob.size,
      uploadedAt: isoOf(uploadedAt),
    })),
    waiting: waiting.map(({ name, enqueuedAt, ...row }) => ({
      rkey: name,
      since: isoOf(enqueuedAt),
      ...row,
    })),
  }
}

type ExportedSite = Site & { readonly domains: unknown }

async function* sitePieces(site: ExportedSite, context: ExportContext): AsyncGenerator<string> {
  const { did, name, createdAt, updatedAt, domains } = site
  const versions = await listVersions(context.db, site)
  yield* jsonObject({
    rkey: name,
    uri: siteUri({ did, name }),
    url: context.siteUrl({ did, name }),
    domains,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
    versions: versions.map(
      (version) =>
        async function* () {
          yield JSON.stringify(await versionRow(did, version, context))
        },
    ),
  })
}

async function versionRow(did: Did, version: Version, context: ExportContext) {
  const { recordCid, rev, state, problems, fileCount, bytes } = version
  const snapshot = await snapshotOf(did, version, context)
  const files =
    snapshot &&
    Array.from(snapshot.files, ([path, file]) => ({
      path,
      cid: file.cid,
      size: file.bytes,
      type: file.contentType,
    }))
  return {
    cid: recordCid,
    rev,
    state,
    problems,
    fileCount,
    bytes,
    publishedAt: isoOf(version.publishedAt),
    seenAt: isoOf(version.seenAt),
    replacedAt: isoOf(version.replacedAt),
    settings: snapshot?.settings ?? null,
    redirects: snapshot?.redirects ?? null,
    headers: snapshot?.headers ?? null,
    files,
  }
}

/** Null when it is not kept: of versions that were refused, or replaced a day ago. */
async function snapshotOf(
  did: Did,
  { id }: Version,
  { db, log }: ExportContext,
): Promise<Snapshot | null> {
  const text = await findSnapshotText(db, did, id)
  try {
    return text === null ? null : decodeSnapshot(text)
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    log.warn('snapshot not exported', { versionId: id, error })
    return null
  }
}

const isoOf = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()

/** Yields the JSON of one value piece by piece, computed when it is written. */
type JsonPieces = () => AsyncIterable<string>

/**
 * The JSON of an object, piece by piece. A field or list item that is a function yields its own JSON: a value too
 * large for memory, or known only when it is written.
 */
async function* jsonObject(fields: Readonly<Record<string, unknown>>): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(fields)) {
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (Array.isArray(value)) yield* jsonList(value)
    else if (isPieces(value)) yield* value()
    else yield JSON.stringify(value)
  }
  yield separator === '{' ? '{}' : '}'
}

async function* jsonList(items: readonly unknown[]): AsyncGenerator<string> {
  let separator = '['
  for (const item of items) {
    yield separator
    separator = ','
    if (isPieces(item)) yield* item()
    else yield JSON.stringify(item)
  }
  yield separator === '[' ? '[]' : ']'
}

const isPieces = (value: unknown): value is JsonPieces => typeof value === 'function'
