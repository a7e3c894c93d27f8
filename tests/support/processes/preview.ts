import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

/** Text, by path below a folder. */
export type FolderFiles = Readonly<Record<string, string>>

/** `sitehost preview` in a process of its own, on a folder of its own. */
export interface Preview extends AsyncDisposable {
  readonly process: ServiceProcess
  readonly folder: string
  readonly port: number
  write(files: FolderFiles): Promise<void>
  /** As it comes: redirects are not followed, bodies not decoded. */
  visit(
    path: string,
    headers?: Readonly<Record<string, string>>,
    method?: string,
  ): Promise<Response>
  /** The lines that begin with this, so far. */
  said(start: string): string[]
}

/** Starts it on a folder with these files. `settings` go to a file beside the folder. */
export async function startPreview(
  files: FolderFiles,
  {
    settings,
    args = [],
    environment = {},
  }: {
    settings?: object
    args?: readonly string[]
    environment?: Readonly<Record<string, string>>
  } = {},
): Promise<Preview> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-preview-test-'))
  const folder = join(dir, 'site')
  await mkdir(folder)
  await writeFiles(folder, files)
  const settingsFile = join(dir, 'settings.json')
  if (settings !== undefined) await Bun.write(settingsFile, JSON.stringify(settings))
  const settingsArgs = settings === undefined ? [] : ['--settings', settingsFile]
  const process = await startServiceProcess(
    ['preview', folder, '--port', '0', ...settingsArgs, ...args],
    { TMPDIR: dir, ...environment },
  )
  const url = String(process.ready['url'])
  return {
    ...{ process, folder, port: Number(new URL(url).port) },
    write: (more) => writeFiles(folder, more),
    visit: (path, headers = {}, method = 'GET') =>
      fetch(url.slice(0, -1) + path, {
        ...{ method, headers: { 'accept-encoding': 'identity', ...headers } },
        ...{ redirect: 'manual', decompress: false },
      }),
    said: (start) =>
      process
        .output()
        .split('\n')
        .filter((line) => line.trim().startsWith(start)),
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]()
      await rm(dir, { recursive: true })
    },
  }
}

async function writeFiles(folder: string, files: FolderFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) await Bun.write(join(folder, path), text)
}
