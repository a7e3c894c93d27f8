import type { Asked } from '#api/contract/client.ts'
import type { SiteFile } from '#web/publish/files/choose-files.ts'
import type { HashProgress } from '#web/publish/files/hash-files.ts'
import type { Waiting } from './patience.ts'

type DeployBody = Asked<'POST /api/site/:rkey/deploys'>['body']

/** What is to be published. Without `base`, the files are the whole site. */
export interface PublishRequest extends Omit<DeployBody, 'files'> {
  readonly siteName: string
  readonly files: readonly SiteFile[]
  /** The files are one archive, which only the service can open. */
  readonly isSealed?: boolean
  /** Of a deploy that was begun with the same files before the page was loaded. */
  readonly deployId?: string | null
}

export interface SendProgress {
  /** To send, and sent so far. What the account has already is not sent. */
  readonly filesTotal: number
  readonly files: number
  readonly bytesTotal: number
  readonly bytes: number
}

export interface SendOptions {
  readonly signal: AbortSignal
  readonly onRead: (progress: HashProgress) => void
  readonly onSend: (progress: SendProgress) => void
  readonly onWait: (why: Waiting | null) => void
  /** The service knows of it from now on, so that another page can go on with it. What it throws ends the deploy. */
  readonly onBegun: (deployId: string) => void | Promise<void>
}

/**
 * One way to hand files to the service: resolves with the id of the job that publishes them. It resolves also after
 * `signal` was aborted, when the service may have made the job by then. Throws ApiError, ReadError, and the signal's
 * reason.
 */
export type Send = (request: PublishRequest, options: SendOptions) => Promise<string>
