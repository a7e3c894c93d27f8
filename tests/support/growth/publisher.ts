import { setTimeout as sleep } from 'node:timers/promises'
import { DeployClient, sha256 } from '#tests/support/publishing/deploy-client.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import type { AppClient } from '../../../devnet/app-client.ts'

/** What no version changes. */
export const fixedContent = 'the same in every version'

/** Every other file of a version says which one it is of. */
export const contentsOf = (version: number): Record<string, string> => ({
  'index.html': `version ${version}`,
  'mark.txt': `mark of version ${version}`,
  'fixed.txt': fixedContent,
})

interface PublisherOptions {
  readonly client: AppClient
  readonly did: string
  readonly site: string
  /** In pieces, each of which may reach another instance. */
  readonly isDeployer: boolean
}

const pauseMs = 50

/** Publishes one version of a site after the other, as somebody does who tries again when something fails. */
export class Publisher {
  readonly did: string
  readonly site: string
  readonly isDeployer: boolean
  readonly #client: AppClient
  readonly #deploys: DeployClient | null
  #version = 0
  #isStopped = false
  #running: Promise<void> | null = null
  /** The newest version whose job has said that it is published. */
  completed = 0
  completions = 0
  /** Jobs that were accepted. */
  readonly accepted: string[] = []
  /** Sentences of jobs that were accepted, and failed. */
  readonly failures: string[] = []
  /** Requests that were refused or not answered; it tries again. */
  readonly refused: string[] = []

  constructor({ client, did, isDeployer, site }: PublisherOptions) {
    this.#client = client
    this.#deploys = isDeployer ? new DeployClient(client) : null
    this.did = did
    this.site = site
    this.isDeployer = isDeployer
  }

  /** Of another site of the same account, as the same person. */
  ofSite(site: string): Publisher {
    const { did, isDeployer } = this
    return new Publisher({ client: this.#client, did, site, isDeployer })
  }

  start(): void {
    this.#isStopped = false
    this.#running = this.#publishAll()
  }

  /** Resolves when its last job has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #publishAll(): Promise<void> {
    while (!this.#isStopped) {
      await this.publishNext()
      await sleep(pauseMs)
    }
  }

  async publishNext(): Promise<void> {
    this.#version += 1
    const version = this.#version
    const jobId = await this.#send(contentsOf(version)).catch((error) => this.#refuse(error))
    if (jobId === null) return
    this.accepted.push(jobId)
    const error = await this.#endOf(jobId)
    if (error === null) {
      this.completed = version
      this.completions += 1
    } else this.failures.push(`${this.site} ${version}: ${error}`)
  }

  /** The job; null: it was refused, or nobody knows. */
  async #send(contents: Record<string, string>): Promise<string | null> {
    if (this.#deploys !== null) return await this.#deploy(this.#deploys, contents)
    const files = Object.entries(contents).map(([path, content]) => textFile(path, content))
    const answer = await this.#client.upload(this.site, files)
    const text = await answer.text()
    if (answer.ok) return (JSON.parse(text) as { jobId: string }).jobId
    return this.#refuse(`${answer.status} ${text.slice(0, 200)}`)
  }

  async #deploy(deploys: DeployClient, contents: Record<string, string>): Promise<string | null> {
    const { deployId, missing } = await deploys.begin(this.site, contents)
    const sent = Object.values(contents).filter((content) => missing.includes(sha256(content)))
    for (const content of sent) {
      const status = await deploys.send(deployId, content)
      if (status !== 204) return this.#refuse(`a file of a deploy: ${status}`)
    }
    const [status, body] = await deploys.commit(deployId)
    return status === 200 ? deployId : this.#refuse(`${status} ${JSON.stringify(body)}`)
  }

  #refuse(error: unknown): null {
    this.refused.push(`${this.site} ${this.#version}: ${String(error)}`)
    return null
  }

  /** Null: it is published. Asks until a job has ended, as the page of an upload does. */
  async #endOf(jobId: string): Promise<string | null> {
    for (;;) {
      // The stream of an instance that stops ends early.
      const ended = await this.#client.watch(jobId).catch(() => null)
      if (ended !== null && (ended.result !== null || ended.error !== null)) return ended.error
      await sleep(pauseMs)
    }
  }
}
