import pMap from 'p-map'
import type { AnswerTo } from '#api/contract/client.ts'
import type { SiteFile } from '#web/publish/files/choose-files.ts'
import { hashFiles } from '#web/publish/files/hash-files.ts'
import { ApiError, addressOf, call } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import { type Patience, patiently } from './patience.ts'
import type { PublishRequest, SendOptions } from './publish-request.ts'
import { bodyOf, sendFile } from './send-file.ts'

/** As many as the service takes of a deploy at a time. */
const sendingMax = 8
/** What has arrived may be missing again: the service makes room for others. */
const roundsMax = 5

/** The site is not what it was when this change began: nothing was published. */
export class BaseChangedError extends ApiError {}

/** This service has no deploys, or what stands between does not let them through. */
export class NoDeploysError extends ApiError {}

/** Sends what the account does not have. See `Send`; also throws the errors above. */
export async function sendDeploy(
  request: PublishRequest,
  options: SendOptions,
  put = sendFile,
): Promise<string> {
  const { signal, onRead, onWait, onBegun } = options
  const patience = { signal, onWait }
  const hashes = await hashFiles(request.files, { signal, onProgress: onRead })
  const found = await resumed(request, patience)
  if (found !== null && 'jobId' in found) return found.jobId
  const { deployId, missing } = found ?? (await begin(request, hashes, patience))
  try {
    await onBegun(deployId)
    let lacking = missing
    for (let round = 0; round < roundsMax; round++) {
      await sendAll(deployId, contentsOf(lacking, hashes), options, put)
      signal.throwIfAborted()
      const committed = await commit(deployId, patience)
      if ('jobId' in committed) return committed.jobId
      lacking = committed.missing
    }
    throw new ApiError(null, words.publish.neverComplete)
  } catch (error) {
    if (signal.aborted) return await abandoned(deployId, signal)
    throw error
  }
}

type Content = readonly [sha256: string, file: SiteFile]

/** One file for each content. */
function contentsOf(missing: readonly string[], hashes: ReadonlyMap<SiteFile, string>): Content[] {
  const byHash = new Map(Array.from(hashes, ([file, sha256]) => [sha256, file]))
  return missing.flatMap((sha256) => {
    const file = byHash.get(sha256)
    return file === undefined ? [] : [[sha256, file] as const]
  })
}

type Open = { readonly deployId: string; readonly missing: readonly string[] }
type Committed = { readonly jobId: string }

async function begin(
  request: PublishRequest,
  hashes: ReadonlyMap<SiteFile, string>,
  patience: Patience,
): Promise<Open> {
  const { siteName, files, isSealed: _, deployId: __, ...described } = request
  const body = {
    ...described,
    files: files.map((file) => ({
      path: file.path,
      sha256: hashes.get(file) ?? '',
      size: file.bytes,
    })),
  }
  const ask = () => call('POST /api/site/:rkey/deploys', { params: { rkey: siteName }, body })
  return await patiently(ask, patience).catch((error) => {
    const isUnknown = error instanceof ApiError && [404, 405, 501].includes(error.status ?? 0)
    throw isUnknown ? new NoDeploysError(error.status, error.message) : error
  })
}

/** Null: there is none to go on with. */
async function resumed(
  { deployId, siteName }: PublishRequest,
  patience: Patience,
): Promise<Open | Committed | null> {
  if (!deployId) return null
  try {
    const deploy = await patiently(() => read(deployId), patience)
    if (deploy.rkey !== siteName) return null
    return stateOf(deploy)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const stateOf = ({ deployId, missing, jobId }: AnswerTo<'GET /api/deploys/:id'>) =>
  jobId === null ? { deployId, missing } : { jobId }

const read = (id: string) => call('GET /api/deploys/:id', { params: { id } })

async function sendAll(
  deployId: string,
  contents: readonly Content[],
  { signal, onSend, onWait }: SendOptions,
  put: typeof sendFile,
): Promise<void> {
  const bytesTotal = contents.reduce((sum, [, file]) => sum + file.bytes, 0)
  const sentBytes = new Map<string, number>()
  let files = 0
  const report = () => {
    const bytes = [...sentBytes.values()].reduce((sum, each) => sum + each, 0)
    onSend({ filesTotal: contents.length, files, bytesTotal, bytes })
  }
  report()
  const send = async ([sha256, file]: Content): Promise<void> => {
    const { path } = addressOf('PUT /api/deploys/:id/files/:sha256', {
      params: { id: deployId, sha256 },
    })
    const { body, isGzipped } = await bodyOf(file.path, await file.open())
    const onProgress = (fraction: number) => {
      sentBytes.set(sha256, fraction * file.bytes)
      report()
    }
    const sent = { path, body, isGzipped, onProgress, signal }
    await patiently(() => put(sent), { signal, onWait })
    files++
    onProgress(1)
  }
  await pMap(contents, send, { concurrency: sendingMax, signal })
}

async function commit(deployId: string, patience: Patience): Promise<Committed | Open> {
  // Once begun, it is not given up: the job may be there already.
  const ask = () => call('POST /api/deploys/:id/commit', { params: { id: deployId } })
  try {
    return await patiently(ask, patience)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    const deploy = await patiently(() => read(deployId), patience)
    if (deploy.jobId !== null || deploy.missing.length > 0) return stateOf(deploy)
    throw new BaseChangedError(409, error.message)
  }
}

/** Drops the deploy; answers with its job if there is one already, which has to be cancelled. */
async function abandoned(deployId: string, { reason }: AbortSignal): Promise<string> {
  const params = { id: deployId }
  try {
    await call('DELETE /api/deploys/:id', { params })
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return deployId
    // It is dropped after a day.
  }
  throw reason
}
