import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasPrograms } from './support/require.ts'

const hasCurl = await hasPrograms('the installer', 'curl')

const script = join(import.meta.dir, '../deploy/install.sh')

let dir: string
let releases: ReturnType<typeof Bun.serve>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-installer-'))
  releases = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ url }) {
      const file = Bun.file(join(dir, 'releases', new URL(url).pathname))
      return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 })
    },
  })
})
afterAll(async () => {
  await releases?.stop(true)
  await rm(dir, { recursive: true, force: true })
})

const platform = `${process.platform}-${process.arch}`
const sumOf = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** Puts a program that prints the text into a release. */
async function release(version: string, text: string, sum?: string): Promise<void> {
  const name = `sitehost-${platform}.gz`
  const bytes = Bun.gzipSync(Buffer.from(`#!/bin/sh\necho ${text}\n`))
  const folder = join(dir, 'releases', `v${version}`)
  await mkdir(folder, { recursive: true })
  await Bun.write(join(folder, name), bytes)
  // A name of which it is the end is not it.
  const sums = `${'0'.repeat(64)}  other-${name}\n${sum ?? sumOf(bytes)}  ${name}\n`
  await Bun.write(join(folder, 'SHA256SUMS'), sums)
}

async function install(settings: Readonly<Record<string, string>>) {
  const child = Bun.spawn({
    cmd: ['sh', script],
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      SITEHOST_RELEASES: `http://127.0.0.1:${releases.port}/`,
      ...settings,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, said, complaints }
}

const installed = () => Bun.$`${join(dir, '.local/bin/sitehost')}`.text()

test.skipIf(!hasCurl)(
  'the installer puts the version into the folder of the user’s programs, and replaces it by another',
  async () => {
    await release('1.0.0', 'first')
    await release('1.1.0-rc.1', 'second')
    const { code, said } = await install({ SITEHOST_VERSION: '1.0.0' })
    expect(code).toBe(0)
    expect(said).toContain('.local/bin to your PATH')
    expect(await installed()).toBe('first\n')
    expect((await install({ SITEHOST_VERSION: '1.1.0-rc.1' })).code).toBe(0)
    expect(await installed()).toBe('second\n')
    expect(await readdir(join(dir, '.local/bin'))).toEqual(['sitehost'])
  },
)

test.skipIf(!hasCurl).each<[string, Readonly<Record<string, string>>, string]>([
  ['a sum that is another', { SITEHOST_VERSION: '2.0.0' }, 'is not what SHA256SUMS names'],
  ['a program that does not run', { SITEHOST_VERSION: '2.1.0' }, 'does not run on this machine'],
  ['a version that is none', { SITEHOST_VERSION: '../1.0.0' }, 'is not a version'],
  ['a version that is not there', { SITEHOST_VERSION: '9.0.0' }, 'cannot download'],
  [
    'a program without a sum',
    { SITEHOST_VERSION: '1.0.0', SITEHOST_PROGRAM: 'sitehost-service' },
    'does not have',
  ],
  ['no address', { SITEHOST_VERSION: '1.0.0', SITEHOST_RELEASES: '' }, 'set SITEHOST_RELEASES'],
])('%s: nothing is installed, and what was there stays', async (_, settings, sentence) => {
  await release('1.0.0', 'first')
  await release('2.0.0', 'changed', sumOf(Buffer.from('original')))
  await release('2.1.0', 'x; exit 1')
  await install({ SITEHOST_VERSION: '1.0.0' })
  const { code, complaints } = await install(settings)
  expect(code).toBe(1)
  expect(complaints).toContain(sentence)
  expect(await installed()).toBe('first\n')
  expect(await readdir(join(dir, '.local/bin'))).toEqual(['sitehost'])
})
