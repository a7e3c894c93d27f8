import type { AppClient } from '../../../devnet/app-client.ts'

/** Contents by path. */
export type Contents = Readonly<Record<string, string>>

export interface BegunDeploy {
  readonly deployId: string
  /** SHA-256 of each content to send. */
  readonly missing: readonly string[]
}

interface DeployOptions {
  /** `live`, or the id of a version. */
  readonly base?: string
  readonly remove?: readonly string[]
  readonly into?: string
  readonly message?: string
  readonly settings?: object
  readonly preview?: { readonly alias?: string; readonly expiresAt?: string }
}

export const sha256 = (content: string): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('hex')

/** A program that deploys sites over the HTTP interface. */
export class DeployClient {
  readonly #client: AppClient

  constructor(client: AppClient) {
    this.#client = client
  }

  /** Throws when the answer is not 200. */
  async begin(site: string, contents: Contents, options: DeployOptions = {}): Promise<BegunDeploy> {
    const files = Object.entries(contents).map(([path, content]) => ({
      path,
      sha256: sha256(content),
      size: Buffer.byteLength(content),
    }))
    const body = JSON.stringify({ files, ...options })
    const answer = await this.#client.fetch(`/api/site/${site}/deploys`, { method: 'POST', body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`deploy of ${site} not begun: ${answer.status} ${text}`)
    return JSON.parse(text) as BegunDeploy
  }

  /** The status of the answer. */
  async send(deployId: string, content: string, init: RequestInit = {}): Promise<number> {
    const path = `/api/deploys/${deployId}/files/${sha256(content)}`
    const answer = await this.#client.fetch(path, { method: 'PUT', body: content, ...init })
    await answer.text()
    return answer.status
  }

  async read(deployId: string): Promise<Record<string, unknown>> {
    const answer = await this.#client.fetch(`/api/deploys/${deployId}`)
    return (await answer.json()) as Record<string, unknown>
  }

  async commit(deployId: string): Promise<[status: number, body: Record<string, unknown>]> {
    const path = `/api/deploys/${deployId}/commit`
    const answer = await this.#client.fetch(path, { method: 'POST' })
    return [answer.status, (await answer.json()) as Record<string, unknown>]
  }

  /** Sends what is missing of these contents, and commits. */
  async finish(
    { deployId, missing }: BegunDeploy,
    contents: Contents,
  ): Promise<{ readonly result: Record<string, unknown> | null; readonly error: string | null }> {
    for (const content of new Set(Object.values(contents))) {
      if (!missing.includes(sha256(content))) continue
      const status = await this.send(deployId, content)
      if (status !== 204) throw new Error(`file not sent: ${status}`)
    }
    const [status, body] = await this.commit(deployId)
    if (status !== 200) throw new Error(`deploy not committed: ${status} ${JSON.stringify(body)}`)
    const { result, error } = await this.#client.watch(deployId)
    return { result, error }
  }

  /** A whole deploy; returns how many contents were missing, and the job's result. Throws when it fails. */
  async deploy(site: string, contents: Contents, options: DeployOptions = {}) {
    const begun = await this.begin(site, contents, options)
    const { result, error } = await this.finish(begun, contents)
    if (result === null) throw new Error(`deploy of ${site} failed: ${error}`)
    return { sent: begun.missing.length, result }
  }
}
