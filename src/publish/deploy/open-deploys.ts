import type { Log } from '#observe/log.ts'
import { spoolOwnerOf } from '#publish/jobs/spool-owner.ts'
import type { Spool, SpoolAdmission } from '#publish/upload/spool.ts'
import { smallUploadBytesMax } from '#publish/upload/spool-shares.ts'
import type { Db } from '#store/database/database.ts'
import {
  type DeployContent,
  type DeployFacts,
  forgetArrived,
  listContents,
  recordArrived,
} from '#store/queues/deploys.ts'
import { DeployArrival } from './deploy-arrival.ts'
import { type IncomingFile, spoolFile } from './spool-file.ts'

interface OpenDeploysContext {
  readonly db: Db
  readonly log: Log
  readonly spool: Spool
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
}

interface OpenDeploy {
  readonly arrival: DeployArrival
  readonly expiresAt: number
  /** Its space in the spool; null: none is reserved here. */
  admission: Promise<SpoolAdmission> | null
  /** Its files are being removed. */
  dropping: Promise<void> | null
}

/**
 * The files of open deploys in the spool, whose space is reserved while they arrive, as for uploads. A deploy that sends
 * slowly, or nothing, gives way when others need its space: its files are removed, and missing again.
 */
export class OpenDeploys {
  readonly #context: OpenDeploysContext
  readonly #deploys = new Map<string, OpenDeploy>()

  constructor(context: OpenDeploysContext) {
    this.#context = context
  }

  /**
   * Receives a content of an open deploy, which is durable when this resolves; calls `confirm` once it has arrived.
   * False: another request sent it first, or the deploy is gone. Throws UploadRefusedError, UploadTooSlowError,
   * SpoolFullError and what `confirm` throws; then nothing is kept.
   */
  async receive(
    deploy: DeployFacts,
    content: DeployContent,
    incoming: IncomingFile & { readonly confirm: () => Promise<void> },
  ): Promise<boolean> {
    const { db, spool } = this.#context
    const open = this.#deploys.get(deploy.id) ?? this.#add(deploy)
    await open.dropping
    return await open.arrival.during(async (file) => {
      const admission = await this.#admission(open, deploy)
      const onBytes = async (bytes: number): Promise<void> => {
        file.bytes = bytes
        await admission.arrived(open.arrival.bytes)
      }
      await onBytes(0)
      await using folder = await spool.open(deploy.id, { keeps: false })
      const spooled = await spoolFile(content, folder, {
        ...incoming,
        arrival: file.arrival,
        onBytes,
      })
      await incoming.confirm()
      if (!(await recordArrived(db, deploy.id, spooled))) return false
      folder.keep()
      return true
    })
  }

  /** For a deploy that has become a job, or is deleted. */
  forget(id: string): void {
    this.#deploys.delete(id)
  }

  #add(deploy: DeployFacts): OpenDeploy {
    this.#forgetExpired()
    const onGiveWay = (): void => {
      open.admission = null
      open.dropping ??= this.#drop(deploy, open).finally(() => {
        open.dropping = null
      })
    }
    const { elapsed } = this.#context
    const open: OpenDeploy = {
      arrival: new DeployArrival({ elapsed, onGiveWay }),
      expiresAt: deploy.expiresAt,
      admission: null,
      dropping: null,
    }
    this.#deploys.set(deploy.id, open)
    return open
  }

  /** Maintenance deletes them. */
  #forgetExpired(): void {
    const now = this.#context.now()
    for (const [id, { expiresAt }] of this.#deploys) if (expiresAt <= now) this.forget(id)
  }

  #admission(open: OpenDeploy, deploy: DeployFacts): Promise<SpoolAdmission> {
    open.admission ??= this.#admit(open, deploy).catch((error) => {
      open.admission = null
      throw error
    })
    return open.admission
  }

  async #admit({ arrival }: OpenDeploy, { id, did }: DeployFacts): Promise<SpoolAdmission> {
    const { db, spool } = this.#context
    const contents = await listContents(db, id)
    const arrived = contents.filter(({ pack }) => pack !== null)
    arrival.restart(sumOf(arrived))
    const bytesMax = sumOf(contents)
    const owner = await spoolOwnerOf(db, did)
    const isSmall = bytesMax <= smallUploadBytesMax
    return await spool.admit(id, bytesMax, { ...owner, isSmall, arrival })
  }

  async #drop({ id, did, site }: DeployFacts, { arrival }: OpenDeploy): Promise<void> {
    const { db, log, spool } = this.#context
    try {
      await arrival.ended()
      // A job needs them.
      if (!(await forgetArrived(db, id))) return
      arrival.restart(0)
      await spool.remove(id)
      log.info('deploy gave way', { deploy: id, did, site })
    } catch (error) {
      log.error('deploy could not give way', { deploy: id, did, site, error })
    }
  }
}

const sumOf = (contents: readonly DeployContent[]): number =>
  contents.reduce((sum, { bytes }) => sum + bytes, 0)
