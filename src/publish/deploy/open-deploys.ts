import type { Log } from '#observe/log.ts'
import type { AtFailPoint } from '#publish/fail-points.ts'
import { spoolOwnerOf, spoolServerOf } from '#publish/jobs/spool-owner.ts'
import type { Spool, SpoolAdmission } from '#publish/upload/spool.ts'
import { smallUploadBytesMax } from '#publish/upload/spool-shares.ts'
import type { Db } from '#store/database/database.ts'
import { type DeployContent, listContents, recordArrived } from '#store/queues/deploy-contents.ts'
import {
  type DeployFacts,
  deploysAmong,
  findDeploy,
  forgetArrived,
  listOpenDeploys,
} from '#store/queues/deploys.ts'
import { DeployArrival, DeployClosedError } from './deploy-arrival.ts'
import { type IncomingFile, spoolFile } from './spool-file.ts'

interface OpenDeploysContext {
  readonly db: Db
  readonly log: Log
  readonly spool: Spool
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly at: AtFailPoint
}

interface OpenDeploy {
  readonly arrival: DeployArrival
  readonly expiresAt: number
  /** Its space in the spool; null: none is reserved here. */
  admission: Promise<SpoolAdmission> | null
  /** Its files are being removed, or counted: none arrives meanwhile. */
  pause: Promise<void> | null
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

  /** For a start: continues with what has arrived of all open deploys, and removes what a dead process left besides. */
  async recover(): Promise<void> {
    const { db, now, spool } = this.#context
    for (const id of await listOpenDeploys(db, now(), spool.instance)) {
      const packs = (await listContents(db, id)).flatMap(({ pack }) => pack ?? [])
      await (await spool.open(id)).keepOnly(new Set(packs))
      await this.adopt(id)
    }
  }

  /** Holds the space of what has arrived of an open deploy, which gives way from now on as others do. */
  async adopt(id: string): Promise<void> {
    const { db, now, spool } = this.#context
    const deploy = await findDeploy(db, id, now())
    if (deploy === null || deploy.committedAt !== null) return
    const open = this.#add(deploy)
    await this.#paused(open, async () => {
      const arrivedBytes = sumOf((await listContents(db, id)).filter(({ pack }) => pack !== null))
      open.arrival.restart(arrivedBytes)
      const server = await spoolServerOf(db, deploy.did)
      const owner = { owner: deploy.did, isNewcomer: false, server }
      await spool.hold(id, arrivedBytes, owner, open.arrival)
    })
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
    const { at, db, spool } = this.#context
    const open = this.#deploys.get(deploy.id) ?? this.#add(deploy)
    // Without an `await` after the last look: what arrives while files are removed would be removed, too.
    while (open.pause !== null) await open.pause
    const receiving = open.arrival.during(async (file) => {
      const admission = await this.#admission(open, deploy)
      const onBytes = async (bytes: number): Promise<void> => {
        open.arrival.assertOpen()
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
      at('deploy-file-spooled')
      if (!(await recordArrived(db, deploy.id, spooled))) return false
      folder.keep()
      at('deploy-file-arrived')
      return true
    })
    return await receiving.catch((error) => {
      if (error instanceof DeployClosedError) return false
      throw error
    })
  }

  /** No more files arrive, and the deploy does not give way, until `forget` or `adopt`. */
  async close(id: string): Promise<void> {
    const open = this.#deploys.get(id)
    await open?.arrival.close()
    await open?.pause
  }

  /** For a deploy that has become a job, or is deleted. */
  forget(id: string): void {
    this.#deploys.delete(id)
  }

  /** Removes the files of deploys that other instances have deleted: with their account, or as what a gone instance has left. */
  async forgetGone(): Promise<void> {
    const { db, spool } = this.#context
    const ids = [...this.#deploys.keys()]
    const known = await deploysAmong(db, ids)
    for (const id of ids) {
      if (known.has(id)) continue
      await this.close(id)
      await spool.remove(id)
      this.forget(id)
    }
  }

  #add(deploy: DeployFacts): OpenDeploy {
    this.#forgetExpired()
    const onGiveWay = (): void => {
      open.admission = null
      if (open.pause === null) void this.#paused(open, () => this.#drop(deploy, open))
    }
    const { elapsed } = this.#context
    const open: OpenDeploy = {
      arrival: new DeployArrival({ elapsed, onGiveWay }),
      expiresAt: deploy.expiresAt,
      admission: null,
      pause: null,
    }
    this.#deploys.set(deploy.id, open)
    return open
  }

  async #paused(open: OpenDeploy, work: () => Promise<void>): Promise<void> {
    open.pause = work().finally(() => {
      open.pause = null
    })
    await open.pause
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

  async #admit({ arrival }: OpenDeploy, { id }: DeployFacts): Promise<SpoolAdmission> {
    const { db, now, spool } = this.#context
    const deploy = await findDeploy(db, id, now())
    // Committed or deleted since the request was read.
    if (deploy === null || deploy.committedAt !== null) throw new DeployClosedError('not open')
    const contents = await listContents(db, id)
    const owner = await spoolOwnerOf(db, deploy.did)
    arrival.assertOpen()
    arrival.restart(sumOf(contents.filter(({ pack }) => pack !== null)))
    const bytesMax = sumOf(contents)
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
