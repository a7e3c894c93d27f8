import type { By } from '#admin/action.ts'
import {
  addAdministrator,
  changeAdministratorPassword,
  removeAdministrator,
} from '#admin/administrators.ts'
import { hashPassword, isAdminName, passwordProblem } from '#api/session/admin-password.ts'
import type { DataOptions } from '#cli/program.ts'
import { readPassword } from '#cli/read-password.ts'
import { StartError } from '#main/process/start-failure.ts'
import { findAdmin, listAdmins } from '#store/accounts/admins.ts'
import { commandLineActor } from './command-line-actor.ts'
import { openUpkeep } from './upkeep.ts'

/** Adds an administrator, with a password read from the terminal. */
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
  await using upkeep = await openUpkeep({ ...options, isLogged: true }, signal)
  if ((await findAdmin(upkeep.db, name)) !== null) throw isThere(name)
  const passwordHash = await hashOfNewPassword(name)
  const admin = { id: crypto.randomUUID(), name, passwordHash, createdAt: Date.now() }
  if (!(await addAdministrator(admin, by(), upkeep))) throw isThere(name)
  console.log(`${name} is an administrator now, and signs in at ${upkeep.config.origin}/admin`)
}

/** Gives an administrator another password, read from the terminal, and ends the sessions in all browsers. */
export async function runAdminPasswd(
  name: string,
  options: DataOptions,
  signal: AbortSignal,
): Promise<void> {
  await using upkeep = await openUpkeep({ ...options, isLogged: true }, signal)
  if ((await findAdmin(upkeep.db, name)) === null) throw isNot(name)
  const hash = await hashOfNewPassword(name)
  if (!(await changeAdministratorPassword(name, hash, by(), upkeep))) throw isNot(name)
  console.log(`${name} has another password now, and is signed out everywhere`)
}

async function hashOfNewPassword(name: string): Promise<string> {
  const read = await readPassword((password) => passwordProblem(password, name))
  if (read.kind === 'given-up') throw new StartError('nothing was changed')
  if (read.kind === 'refused') throw new StartError(read.problem)
  return await hashPassword(read.password)
}

/** Removes an administrator and their sessions in all browsers. */
export async function runAdminRemove(
  name: string,
  options: DataOptions,
  signal: AbortSignal,
): Promise<void> {
  await using upkeep = await openUpkeep({ ...options, isLogged: true }, signal)
  if (!(await removeAdministrator(name, by(), upkeep))) throw isNot(name)
  console.log(`${name} is no longer an administrator`)
}

/** One line per administrator: name and date. */
export async function runAdminList(options: DataOptions, signal: AbortSignal): Promise<void> {
  await using upkeep = await openUpkeep(options, signal)
  const admins = await listAdmins(upkeep.db)
  if (admins.length === 0) console.error('no administrators yet: sitehost admin add <name>')
  for (const { name, createdAt } of admins) {
    console.log(`${name}  ${new Date(createdAt).toISOString()}`)
  }
}

const by = (): By => ({ actor: commandLineActor(), reason: '' })

const isThere = (name: string): StartError =>
  new StartError(
    `there is an administrator ${name} already; to give them another password: sitehost admin passwd ${name}`,
  )

const isNot = (name: string): StartError =>
  new StartError(`there is no administrator ${JSON.stringify(name)}`)
