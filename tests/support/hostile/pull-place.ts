import { expect } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandContext } from '#cli/command-context.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import type { CommandEnd } from '#tests/support/processes/run-command.ts'
import { runInProcess } from '#tests/support/processes/site-commands.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'
import { directory, fileIn, type HostileRepo, manifest } from './hostile-rows.ts'

/** What a command gets of the outside, changed. */
export type Within = (context: CommandContext) => CommandContext

interface PullEnd extends CommandEnd {
  readonly folder: string
  /** What is in it afterwards. */
  readonly names: readonly string[]
}

/** Alice's account server, which can lie, and the commands that anybody reads her sites with. */
export interface PullPlace extends AsyncDisposable {
  readonly dir: string
  readonly pds: FakePds
  readonly repo: HostileRepo
  run(args: readonly string[], within?: Within): Promise<CommandEnd>
  /** Pulls a site of hers into a folder of its own. */
  pull(site: string, within?: Within, options?: readonly string[]): Promise<PullEnd>
  /** Her site `blog` has these files, by path. */
  put(files: Readonly<Record<string, string>>): Promise<void>
}

export async function startPullPlace(): Promise<PullPlace> {
  const dir = await mkdtemp(join(tmpdir(), 'pull-place-'))
  const pds = await startFakePds(alice)
  const repo: HostileRepo = {
    did: alice,
    blob: async (bytes, mimeType) => pds.addBlob(bytes, mimeType),
    put: async (path, record) => void (await pds.putRecord(path, record)),
  }
  const environment = { PLC_URL: pds.url, ALLOW_PRIVATE_HOSTS: '1', HOME: dir }
  let folders = 0
  const run = (args: readonly string[], within?: Within) =>
    runInProcess(args, { environment, ...(within && { within }) })
  return {
    ...{ dir, pds, repo, run },
    async pull(site, within, options = []) {
      const folder = join(dir, `${++folders}`)
      const end = await run(['pull', `${alice}/${site}`, folder, '--json', ...options], within)
      const names = await readdir(folder, { recursive: true }).catch(() => [])
      return { ...end, folder, names }
    },
    async put(files) {
      const entries = await entriesOf(repo, Object.entries(files))
      await pds.putRecord('place.sitehost.fs/blog', manifest('blog', entries))
    },
    async [Symbol.asyncDispose]() {
      await pds[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function entriesOf(
  repo: HostileRepo,
  files: readonly (readonly [path: string, text: string])[],
): Promise<object[]> {
  const byName = Map.groupBy(files, ([path]) => path.split('/', 1)[0] ?? '')
  const entries = [...byName].map(async ([name, all]) => {
    const text = all.find(([path]) => path === name)?.[1]
    if (text !== undefined) return { name, node: await fileIn(repo, text) }
    const inside = all.map(([path, text]) => [path.slice(name.length + 1), text] as const)
    return { name, node: directory(await entriesOf(repo, inside)) }
  })
  return await Promise.all(entries)
}

/** A failure, told in sentences, which wrote nothing. */
export function expectRefusal({ complaints, ...end }: PullEnd): void {
  expect(end).toMatchObject({ code: 1, said: [], names: [] })
  expect(complaints).not.toMatch(/^ +at /m)
  expect(complaints.length).toBeLessThan(1000)
}
