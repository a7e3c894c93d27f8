import { textStream } from '#api/body-stream.ts'
import type { ApiContext } from '#api/context.ts'
import { objectPieces } from '#api/json-pieces.ts'
import { runInSlices } from '#concurrency/yield-event-loop.ts'
import { type Did, siteUri } from '#site/site-address.ts'
import { utcDate } from '#site/utc-day.ts'
import { decodeSnapshotSteps, type Snapshot, SnapshotFormatError } from '#site/visit/snapshot.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import type { Db } from '#store/database/database.ts'
import {
  findSnapshotText,
  listAccountDeliveries,
  listAccountDeploys,
  listAccountJobs,
  listAccountPublishers,
  listAccountQueue,
  listAccountReceived,
  listAccountSessions,
  listAccountTokens,
  listAccountTraffic,
  listAccountUploads,
  listAccountVersionRecords,
  listAccountWebhooks,
} from '#store/lifecycle/account-data.ts'
import { listCustomDomains } from '#store/names/custom-domains.ts'
import { listKeptSubdomains } from '#store/names/kept-subdomains.ts'
import { listSubdomains } from '#store/names/subdomains.ts'
import { listSites, type Site } from '#store/sites/sites.ts'
import type { VersionRecord } from '#store/sites/version-records/version-records.ts'
import { listVersions, type Version } from '#store/sites/versions.ts'
import { customDomainRow, siteDomainRows } from './domains/domain-rows.ts'
import { isoOf, isoOrNull } from './iso-of.ts'
import { visitPieces } from './site-visits.ts'

type ExportContext = Pick<ApiContext, 'baseDomain' | 'db' | 'log' | 'now' | 'siteUrl'>

/**
 * All data of the account as one JSON object (docs/http-api.md, "Account deletion and export"), without tokens,
 * secrets and other accounts' data. Streamed, with one version of one site in memory at a time; complete when its last
 * field is `"complete": true`, and broken off before that when the account or a site was deleted meanwhile. Disposes
 * of `held`.
 */
export function exportAccount(
  did: Did,
  context: ExportContext,
  held: Disposable,
): ReadableStream<Uint8Array> {
  return textStream(exportPieces(did, context), (error) => {
    held[Symbol.dispose]()
    if (error === undefined) return
    const level = error instanceof ExportOvertakenError ? 'warn' : 'error'
    context.log[level]('export broke off', { did, error })
  })
}

async function* exportPieces(did: Did, context: ExportContext): AsyncGenerator<string> {
  const { db, now } = context
  const account = await findAccount(db, did)
  const subdomains = await listSubdomains(db, did)
  const keptNames = await listKeptSubdomains(db, did, now())
  const customDomains = await listCustomDomains(db, did)
  const sites = await listSites(db, did)
  yield* objectPieces({
    made: isoOf(now()),
    account: {
      did,
      handle: account?.handle ?? null,
      pds: account?.pds ?? null,
      status: account?.status ?? null,
      createdAt: isoOrNull(account?.createdAt),
      updatedAt: isoOrNull(account?.updatedAt),
    },
    sites: sites.map((site) =>
      sitePieces(site, siteDomainRows(site.name, subdomains, customDomains), context),
    ),
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
      confirmedAt: isoOrNull(domain.confirmedAt),
      misses: domain.misses,
      missingSince: isoOrNull(domain.missingSince),
      updatedAt: isoOf(domain.updatedAt),
    })),
    versionRecords: (await listAccountVersionRecords(db, did)).map(versionRecordRow),
    ...(await activityOf(did, context)),
    complete: complete(did, sites, db),
  })
}

const versionRecordRow = ({ did: _, site, createdAt, expiresAt, ...facts }: VersionRecord) => ({
  ...facts,
  rkey: site || null,
  createdAt: isoOf(createdAt),
  expiresAt: isoOrNull(expiresAt),
})

/** Throws ExportOvertakenError when the account or one of its sites was deleted while it was read. */
async function* complete(did: Did, sites: readonly Site[], db: Db): AsyncGenerator<string> {
  const here = new Set((await listSites(db, did)).map(({ name }) => name))
  if (await isDeletedHere(db, did)) throw new ExportOvertakenError('account deleted')
  const removed = sites.filter(({ name }) => !here.has(name))
  if (removed.length > 0) throw new ExportOvertakenError(`sites removed: ${removed.length}`)
  yield 'true'
}

class ExportOvertakenError extends Error {
  override readonly name = 'ExportOvertakenError'
}

async function activityOf(did: Did, { db }: ExportContext) {
  const jobs = await listAccountJobs(db, did)
  const deploys = await listAccountDeploys(db, did)
  const sessions = await listAccountSessions(db, did)
  const tokens = await listAccountTokens(db, did)
  const publishers = await listAccountPublishers(db, did)
  const webhooks = await listAccountWebhooks(db, did)
  const deliveries = await listAccountDeliveries(db, did)
  const uploads = await listAccountUploads(db, did)
  const received = await listAccountReceived(db, did)
  const traffic = await listAccountTraffic(db, did)
  const waiting = await listAccountQueue(db, did)
  return {
    jobs: jobs.map(({ site, createdAt, finishedAt, ...job }) => ({
      ...job,
      rkey: site,
      createdAt: isoOf(createdAt),
      finishedAt: isoOrNull(finishedAt),
    })),
    deploys: deploys.map(({ site, createdAt, expiresAt, committedAt, ...deploy }) => ({
      ...deploy,
      rkey: site,
      createdAt: isoOf(createdAt),
      expiresAt: isoOf(expiresAt),
      committedAt: isoOrNull(committedAt),
    })),
    sessions: sessions.map(({ device, createdAt, seenAt, expiresAt }) => ({
      device,
      createdAt: isoOf(createdAt),
      seenAt: isoOf(seenAt),
      expiresAt: isoOf(expiresAt),
    })),
    deployTokens: tokens.map(({ site, createdAt, expiresAt, usedAt, ...token }) => ({
      ...token,
      rkey: site,
      createdAt: isoOf(createdAt),
      expiresAt: isoOf(expiresAt),
      lastUsedAt: isoOrNull(usedAt),
    })),
    publishers: publishers.map(({ site, createdAt, usedAt, ...publisher }) => ({
      ...publisher,
      rkey: site,
      createdAt: isoOf(createdAt),
      lastUsedAt: isoOrNull(usedAt),
    })),
    webhooks: webhooks.map(({ site, createdAt, failingSince, ...webhook }) => ({
      ...webhook,
      rkey: site || null,
      failingSince: isoOrNull(failingSince),
      createdAt: isoOf(createdAt),
    })),
    webhookDeliveries: deliveries.map(({ createdAt, attemptedAt, ...delivery }) => ({
      ...delivery,
      createdAt: isoOf(createdAt),
      attemptedAt: isoOrNull(attemptedAt),
    })),
    uploadedBlobs: uploads.map(({ blob, uploadedAt }) => ({
      cid: blob.ref.$link,
      size: blob.size,
      uploadedAt: isoOf(uploadedAt),
    })),
    receivedBlobs: received.map(({ cid, receivedAt }) => ({ cid, receivedAt: isoOf(receivedAt) })),
    traffic: traffic.map(({ site, day, ...row }) => ({
      ...row,
      rkey: site || null,
      day: utcDate(day),
    })),
    waiting: waiting.map(({ name, enqueuedAt, ...row }) => ({
      rkey: name,
      since: isoOf(enqueuedAt),
      ...row,
    })),
  }
}

async function* sitePieces(
  site: Site,
  domains: readonly unknown[],
  context: ExportContext,
): AsyncGenerator<string> {
  const { did, name, createdAt, updatedAt } = site
  const versions = await listVersions(context.db, site)
  yield* objectPieces({
    rkey: name,
    uri: siteUri({ did, name }),
    url: context.siteUrl({ did, name }),
    domains,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
    versions: versions.map((version) => versionPieces(did, version, context)),
    visits: visitPieces(site, context),
  })
}

async function* versionPieces(
  did: Did,
  version: Version,
  context: ExportContext,
): AsyncGenerator<string> {
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
  yield JSON.stringify({
    cid: recordCid,
    rev,
    state,
    problems,
    fileCount,
    bytes,
    publishedAt: isoOf(version.publishedAt),
    seenAt: isoOf(version.seenAt),
    replacedAt: isoOrNull(version.replacedAt),
    settings: snapshot?.settings ?? null,
    redirects: snapshot?.redirects ?? null,
    headers: snapshot?.headers ?? null,
    files,
  })
}

/** Null: not kept, as for versions that were rejected, or replaced a day ago. */
async function snapshotOf(
  did: Did,
  { id }: Version,
  { db, log }: ExportContext,
): Promise<Snapshot | null> {
  const text = await findSnapshotText(db, did, id)
  try {
    return text === null ? null : await runInSlices(decodeSnapshotSteps(text))
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    log.warn('snapshot not exported', { versionId: id, error })
    return null
  }
}
