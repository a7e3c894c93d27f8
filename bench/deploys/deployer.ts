import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import type { BenchFile } from '../support/files.ts'

/** Files sent at a time: as many as the service takes. */
const sentAtOnce = 8

export interface Deployed {
  readonly url: string
  readonly versionId: string
  /** To the service: the list of the files, and what it did not have. */
  readonly sentBytes: number
  readonly ms: { readonly begin: number; readonly send: number; readonly publish: number }
}

/** A file and the SHA-256 of its content, which a client knows before it asks. */
export interface Hashed extends BenchFile {
  readonly sha256: string
}

export const hashed = (file: BenchFile): Hashed => ({
  ...file,
  sha256: new Bun.CryptoHasher('sha256').update(file.bytes).digest('hex'),
})

/** Sends the list of the files, what of them is missing, and waits until the site is live. */
export async function deploy(
  client: AppClient,
  site: string,
  files: readonly Hashed[],
  { base }: { readonly base?: 'live' } = {},
): Promise<Deployed> {
  const start = performance.now()
  const list = files.map(({ path, sha256, bytes }) => ({ path, sha256, size: bytes.length }))
  const body = JSON.stringify({ files: list, base })
  const begun = await answered(client.fetch(`/api/site/${site}/deploys`, { method: 'POST', body }))
  const { deployId, missing } = begun as { deployId: string; missing: string[] }
  const begunAt = performance.now()
  const contents = new Map(files.map(({ sha256, bytes }) => [sha256, bytes]))
  let sentBytes = Buffer.byteLength(body)
  const limits = { atOnce: sentAtOnce, signal: new AbortController().signal }
  await mapAtOnce(missing, limits, async (sha256) => {
    const content = contents.get(sha256) ?? new Uint8Array()
    sentBytes += content.length
    const path = `/api/deploys/${deployId}/files/${sha256}`
    await answered(client.fetch(path, { method: 'PUT', body: content }))
  })
  const sentAt = performance.now()
  await answered(client.fetch(`/api/deploys/${deployId}/commit`, { method: 'POST' }))
  const { url, versionId } = await liveAfter(client, site, deployId)
  const ms = { begin: begunAt - start, send: sentAt - begunAt, publish: performance.now() - sentAt }
  return { url, versionId, sentBytes, ms }
}

/** Waits until the site's history has this version: it is read after the site. */
export async function untilListed(client: AppClient, site: string, versionId: string) {
  const path = `/api/site/${site}/versions/${versionId}/files`
  while (!(await client.fetch(path)).ok) await Bun.sleep(50)
}

/** Makes a version live again; returns the milliseconds until it is. */
export async function restore(client: AppClient, site: string, versionId: string): Promise<number> {
  const start = performance.now()
  const path = `/api/site/${site}/versions/${versionId}/restore`
  const body = (await answered(client.fetch(path, { method: 'POST' }))) as { jobId: string }
  await liveAfter(client, site, body.jobId)
  return performance.now() - start
}

async function liveAfter(client: AppClient, site: string, jobId: string) {
  const { result, error } = await client.watch(jobId)
  if (result === null) throw new Error(`not published: ${error}`)
  await client.untilVisible(site, result)
  return { url: String(result['url']), versionId: String(result['versionId']) }
}

async function answered(answer: Promise<Response>): Promise<unknown> {
  const response = await answer
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}
