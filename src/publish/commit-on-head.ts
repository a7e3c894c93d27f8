import type { AccountRepo, Committed, RepoWrite } from '#atproto/repo/account-repo.ts'
import { backoff } from '#concurrency/backoff.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { type Did, type SiteAddress, siteUri } from '#site/site-address.ts'
import type { AtFailPoint } from './fail-points.ts'
import { type Patience, pauseByTimer, withPatience } from './server-patience.ts'

/** The server broke off during the commit, or gave an inconclusive answer: the commit may have been made or not. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError'
  readonly did: Did

  constructor(did: Did, options?: ErrorOptions) {
    super(`commit not answered; did=${did}`, options)
    this.did = did
  }
}

/** Another program has changed the site's record since we read it. */
export class SiteConflictError extends Error {
  override readonly name = 'SiteConflictError'
  readonly site: SiteAddress

  constructor(site: SiteAddress, options?: ErrorOptions) {
    super(`site changed meanwhile; site=${siteUri(site)}`, options)
    this.site = site
  }
}

export type PlannedWrite = RepoWrite & {
  /** CID that the record must have now, null for none; compared where the record is written alone. */
  readonly replaces?: string | null | undefined
  /** In the same commit as the next write. */
  readonly withNext?: boolean
  /** Not needed by readers: when the server fails at it alone, a later commit does it. */
  readonly mayFail?: true
}

export const deletion = (
  collection: PlannedWrite['collection'],
  rkey: string,
  replaces?: string,
): PlannedWrite => ({
  action: 'delete',
  collection,
  rkey,
  replaces,
})

/** All but the last are in the commit of the next one. */
export const linked = (writes: readonly PlannedWrite[]): PlannedWrite[] =>
  writes.map((write, n) => ({ ...write, withNext: n < writes.length - 1 }))

/** The next step for a repository in the state that was read. */
export type CommitPlan<T> =
  | { readonly kind: 'done'; readonly result: T }
  | {
      readonly kind: 'write'
      /** A commit takes the first ones, as many as a server accepts at once. In an order in which readers miss nothing where each is written alone. */
      readonly writes: readonly PlannedWrite[]
      /** The result, by the CIDs that the records have now (null: deleted); null when more is left to write. */
      readonly written: (cids: readonly (string | null)[]) => T | null
    }

export interface HeadCommit<State extends { readonly head: string }, T> {
  /** The repository's state, when the caller has just read it. */
  readonly start?: State | null
  /** Reads `head` before everything else: a commit made meanwhile makes the swap fail. */
  readonly read: () => Promise<State>
  /** `first` is what was read first. Throws when another program has changed the record that is to be written. */
  readonly plan: (now: State, first: State) => CommitPlan<T>
  /** Called after each commit of planned writes on top of the state that they were planned on. */
  readonly onCommitted?: (before: State, writes: readonly PlannedWrite[], made: Committed) => void
  /** When other programs win every race, writes each record alone: then only a change of that record conflicts. */
  readonly mayWriteAlone: boolean
  /** Thrown when other programs win every race nevertheless. */
  readonly conflict: () => Error
}

/** What an operation on an account's repository needs. */
export interface RepoContext extends Pick<Patience, 'pause'> {
  readonly repo: AccountRepo
  /** Called before each commit; throws when nothing may be written any more. */
  readonly beforeCommit?: () => Promise<void>
  readonly now: () => number
  readonly signal: AbortSignal
}

interface CommitContext extends Patience, Pick<RepoContext, 'beforeCommit' | 'repo'> {
  readonly at?: AtFailPoint
}

/** The protocol's limit for one commit. */
export const writesMax = 200
/** Of the request. The reference server reads 1 000 000. */
const commitBytesMax = 900_000
/** Of a write in the request, besides its value. */
const writeFrameBytes = 1_024
/** Other programs may write to the same repository; after this many lost races in a row we stop racing them. */
const racesMax = 8
/** Of 200 records each: more than any account has. */
const commitsMax = 200
const raceDelayMs = backoff({ min: 20, max: 500, jitter: 1 })

/**
 * Compare-and-swap on a repository: reads it, plans on what it read, and commits on top of the head that it read.
 * Retries after a pause when another program has committed meanwhile. Readers see all of a commit or nothing, except
 * from servers that do not accept it in one piece: those get each write alone. Throws CommitUnknownError, and what
 * `plan` and the repository's calls throw.
 */
export async function commitOnHead<State extends { readonly head: string }, T>(
  { start, read, plan, onCommitted = () => {}, mayWriteAlone, conflict }: HeadCommit<State, T>,
  { repo, at = () => {}, beforeCommit = async () => {}, ...patience }: CommitContext,
): Promise<T> {
  const { pause = pauseByTimer } = patience
  const first = start ?? (await withPatience(read, patience))
  let now = first
  for (let races = 0, commits = 0; races <= racesMax && commits < commitsMax; ) {
    const planned = plan(now, first)
    if (planned.kind === 'done') return planned.result
    if (races === racesMax && !mayWriteAlone) break
    at('before-commit')
    const head = races < racesMax ? now.head : null
    const before = now
    const commit = async () => {
      await beforeCommit()
      return await commitWrites(planned.writes, head, repo, at, (writes, made) =>
        onCommitted(before, writes, made),
      )
    }
    const cids = await withPatience(commit, patience).catch((error) => {
      throw isUnanswered(error) ? new CommitUnknownError(repo.did, { cause: error }) : error
    })
    at('after-commit')
    const result = cids && planned.written(cids)
    if (result !== null) return result
    if (cids === null) {
      await pause(raceDelayMs(races), patience.signal)
      races += 1
    } else {
      commits += 1
      races = 0
    }
    now = await withPatience(read, patience)
  }
  throw conflict()
}

/** The server has not answered the call, or not conclusively. */
export const isUnanswered = (error: unknown): boolean =>
  isOfServer(error) && !(error instanceof ServerRefusedError && error.status < 500)

type Cids = readonly (string | null)[]

/** Null when the repository has moved on since `head`: nothing was written. */
async function commitWrites(
  writes: readonly PlannedWrite[],
  head: string | null,
  repo: AccountRepo,
  at: AtFailPoint,
  onCommitted: (writes: readonly PlannedWrite[], made: Committed) => void,
): Promise<Cids | null> {
  if (head === null) return await writeEach(writes, repo, at)
  try {
    const first = firstCommit(writes)
    const made = await repo.applyWrites(first, head)
    onCommitted(first, made)
    return made.cids
  } catch (error) {
    if (!(error instanceof ServerRefusedError)) throw error
    if (error.code === 'InvalidSwap') return null
    if (!isTooMuchAtOnce(error)) throw error
    return await writeEach(writes, repo, at)
  }
}

/** The first writes, within the limits of one commit; at least one. */
function firstCommit(writes: readonly PlannedWrite[]): readonly PlannedWrite[] {
  let bytes = 0
  let count = 0
  for (const write of writes.slice(0, writesMax)) {
    bytes += writeFrameBytes
    if (write.action !== 'delete') bytes += Buffer.byteLength(JSON.stringify(write.value))
    if (bytes > commitBytesMax && count > 0) break
    count += 1
  }
  while (count > 1 && count < writes.length && writes[count - 1]?.withNext) count -= 1
  return writes.slice(0, count)
}

/** 413, or no such method; some servers call a body that is too large an invalid request. */
const isTooMuchAtOnce = ({ status, code, reason }: ServerRefusedError): boolean =>
  status === 413 ||
  status === 501 ||
  code === 'MethodNotImplemented' ||
  code === 'PayloadTooLarge' ||
  /too large|entity too|too many writes/i.test(reason)

/** Null when a record's CID is not the expected one; records before it are written. */
async function writeEach(
  writes: readonly PlannedWrite[],
  repo: AccountRepo,
  at: AtFailPoint,
): Promise<Cids | null> {
  const cids: (string | null)[] = []
  for (const write of writes) {
    const isMain = write.replaces !== undefined
    if (isMain) at('parts-written')
    try {
      cids.push(await writeOne(write, repo))
    } catch (error) {
      if (error instanceof ServerRefusedError && error.code === 'InvalidSwap') return null
      if (write.mayFail && isOfServer(error)) return cids
      throw error
    }
    if (isMain) at('main-written')
  }
  return cids
}

async function writeOne(write: PlannedWrite, repo: AccountRepo): Promise<string | null> {
  const { collection, rkey } = write
  if (write.action !== 'delete') {
    return (await repo.putRecord(collection, rkey, write.value, write.replaces)).cid
  }
  await repo.deleteRecord(collection, rkey, write.replaces ?? undefined)
  return null
}

const isOfServer = (error: unknown): boolean =>
  error instanceof ServerRefusedError ||
  error instanceof ServerUnreachableError ||
  error instanceof UnusableAnswerError
