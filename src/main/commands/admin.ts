import { hashPassword, isAdminName, passwordProblem } from '#api/session/admin-password.ts'
import type { DataOptions } from '#cli/program.ts'
import { readPassword } from '#cli/read-password.ts'
import { StartError } from '#main/process/start-failure.ts'
import { addAdmin, findAdmin, listAdmins, removeAdmin } from '#store/accounts/admins.ts'
import type { Db } from '#store/database/database.ts'
import { openUpkeep } from './upkeep.ts'

/** Makes an administrator, with a password that is asked for. */
export async function runAdminAdd(
  name: string,
  options: DataOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!isAdminName(name)) {
    throw new StartError(
      `${JSON.stringify(name)} cannot be a name: 1 to 64 of a-z 0-9 . _ -, beginning with a letter or digit`,
    )
  }
  await onData(options, signal, async (db) => {
    if ((await findAdmin(db, name)) !== null) throw isThere(name)
    const read = await readPassword((password) => passwordProblem(password, name))
    if (read.kind === 'given-up') throw new StartError('nothing was changed')
    if (read.kind === 'refused') throw new StartError(read.problem)
    const passwordHash = await hashPassword(read.password)
    const admin = { id: crypto.randomUUID(), name, passwordHash, createdAt: Date.now() }
    if (!(await addAdmin(db, admin))) throw isThere(name)
    console.log(`${name} is an administrator now`)
  })
}

/** Takes an administrator's rights, in every browser at once. */
export async function runAdminRemove(
  name: string,
  options: DataOptions,
  signal: AbortSignal,
): Promise<void> {
  await onData(options, signal, async (db) => {
    if (!(await removeAdmin(db, name))) {
      throw new StartError(`there is no administrator ${JSON.stringify(name)}`)
    }
    console.log(`${name} is no administrator any more`)
  })
}

/** A line for each: the name, and since when. */
export async function runAdminList(options: DataOptions, signal: AbortSignal): Promise<void> {
  await onData(options, signal, async (db) => {
    const admins = await listAdmins(db)
    if (admins.length === 0) console.error('nobody yet: sitehost admin add <name>')
    for (const { name, createdAt } of admins) {
      console.log(`${name}  ${new Date(createdAt).toISOString()}`)
    }
  })
}

async function onData(
  options: DataOptions,
  signal: AbortSignal,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { db } = await openUpkeep(options, signal, opened)
  await work(db)
}

const isThere = (name: string): StartError =>
  new StartError(
    `there is an administrator ${name} already; to give them another password, remove them first`,
  )
