import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database/database.ts'
import {
  type NewInstance,
  registerInstance,
  removeInstance,
  type Sighting,
  seeInstance,
} from '#store/instances.ts'
import { StartError } from './start-failure.ts'

const seeEveryMsDefault = 2_000

interface KeepOptions {
  readonly instance: Omit<NewInstance, 'run'>
  readonly log: Log
  /** Called when another process has registered with this instance's id. */
  readonly onLost: (reason: StartError) => void
  /** Called when others had taken it for gone, and it has registered again. */
  readonly onReturned: () => void
  readonly seeEveryMs?: number
}

/** Makes this instance known to the others on the database, until disposal. */
export async function keepInstance(db: Db, options: KeepOptions): Promise<AsyncDisposable> {
  const { log, onLost, onReturned, seeEveryMs = seeEveryMsDefault } = options
  const instance: NewInstance = { ...options.instance, run: crypto.randomUUID() }
  await registerInstance(db, instance)
  let isLate = false
  const settle = async (sighting: Sighting): Promise<void> => {
    switch (sighting) {
      case 'seen':
        return
      case 'removed':
        log.warn('instance was taken for gone', { instance: instance.id })
        await registerInstance(db, instance)
        return onReturned()
      case 'replaced':
        return onLost(
          new StartError(
            'another Sitehost runs with the id of this instance: two have the same `instance-id` file, a copy of one data folder; delete it in one of them',
          ),
        )
    }
  }
  const see = async (): Promise<void> => {
    try {
      await settle(await seeInstance(db, instance))
      isLate = false
    } catch (error) {
      if (!isLate) log.warn('instance not seen by the database', { error })
      isLate = true
    }
  }
  let seeing: Promise<void> | null = null
  const timer = setInterval(() => {
    seeing ??= see().finally(() => {
      seeing = null
    })
  }, seeEveryMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await seeing
      // One that stays is taken for gone in time.
      await removeInstance(db, instance).catch(() => undefined)
    },
  }
}
