import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandError } from '#cli/command-error.ts'
import { codeOf } from '#observe/code-of.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { withFileLock } from './file-lock.ts'

/** An account that signed in by the browser. */
export interface SavedAccount {
  readonly did: Did
  readonly handle: string | null
  readonly server: string
  /** Of the sign-in: its port belongs to the client that the tokens were issued to. */
  readonly origin: string
  /** Tokens and their key, as the OAuth library stores them. */
  readonly session: unknown
}

interface SavedFile {
  /** Of the last sign-in; null: nobody. */
  readonly current: Did | null
  readonly accounts: readonly SavedAccount[]
}

const nobody: SavedFile = { current: null, accounts: [] }

/** Accounts and their tokens in one file that only its owner may read, shared by all commands of this person. */
export class SavedAccounts {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  async list(): Promise<readonly SavedAccount[]> {
    return (await this.#read()).accounts
  }

  /** By handle or DID; the one that signed in last if none is named. */
  async find(name?: string): Promise<SavedAccount | undefined> {
    const { accounts, current } = await this.#read()
    const wanted = name?.trim().replace(/^@/, '').toLowerCase() ?? current
    return accounts.find(({ did, handle }) => did === wanted || handle?.toLowerCase() === wanted)
  }

  /** Call it within `withLock`. */
  async keep(account: SavedAccount): Promise<void> {
    const file = await this.#read()
    const others = file.accounts.filter(({ did }) => did !== account.did)
    await this.#write({ ...file, accounts: [...others, account] })
  }

  /** Makes it the account of commands that name none, and keeps what it is called. */
  async choose(
    did: Did,
    facts: Pick<SavedAccount, 'handle' | 'server'>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.withLock(async () => {
      const { accounts } = await this.#read()
      const known = accounts.map((each) => (each.did === did ? { ...each, ...facts } : each))
      await this.#write({ current: did, accounts: known })
    }, signal)
  }

  /** Another account, if there is one, becomes that of commands that name none. Call it within `withLock`. */
  async remove(did: Did): Promise<void> {
    const { accounts, current } = await this.#read()
    const others = accounts.filter((each) => each.did !== did)
    const next = current === did ? (others.at(-1)?.did ?? null) : current
    await this.#write({ current: next, accounts: others })
  }

  /** Runs while no other process changes the file: tokens can be renewed once only. */
  async withLock<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const folder = dirname(this.#file)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await closeToOthers(folder)
    return await withFileLock(this.#file, work, signal)
  }

  async #read(): Promise<SavedFile> {
    try {
      const file = parseFile(JSON.parse(await readFile(this.#file, 'utf8')))
      await closeToOthers(this.#file)
      return file
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return nobody
      throw new CommandError(
        `${this.#file}, which has your sign-ins, cannot be read. Delete it and sign in again.`,
        { cause },
      )
    }
  }

  /** Readers see the old file or the new one. */
  async #write(file: SavedFile): Promise<void> {
    const next = `${this.#file}.${randomUUID()}`
    await writeFile(next, `${JSON.stringify(file)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(next, this.#file)
  }
}

/** A backup or another program may have given it wider rights. */
async function closeToOthers(path: string): Promise<void> {
  // Windows has other rights, and a person's own folders are closed there.
  if (process.platform === 'win32') return
  const { mode } = await stat(path)
  if ((mode & ofOthers) !== 0) await chmod(path, mode & ~ofOthers & 0o777)
}

const ofOthers = 0o077

function parseFile(value: unknown): SavedFile {
  const { accounts, current } = value as Partial<Record<keyof SavedFile, unknown>>
  if (!Array.isArray(accounts)) throw new TypeError('no accounts')
  return {
    current: typeof current === 'string' ? parseDid(current) : null,
    accounts: accounts.filter((each) => parseDid(String(each?.did)) !== null),
  }
}
