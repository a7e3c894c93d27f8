import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasPrograms } from './support/require.ts'

const root = join(import.meta.dir, '..')
const read = (path: string): Promise<string> => Bun.file(join(root, path)).text()

const knowsUnits = await hasPrograms('the unit of systemd', 'systemd-analyze')

const packsForDebian = await hasPrograms('the package for Debian', 'dpkg-deb')

/** What `pattern` captures in a text, each once, in order. */
const captured = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))].sort()

test('a container has what a package has', async () => {
  const { files } = JSON.parse(await read('package.json')) as { files: string[] }
  const copied = captured(await read('deploy/Containerfile'), /^COPY (?!--from)(.+) \S+$/gm)
  const names = new Set(copied.flatMap((sources) => sources.split(' ')))
  expect(files.filter((name) => !names.has(name))).toEqual([])
})

test('the Caddyfile says what it can be told', async () => {
  const [head = '', ...rest] = (await read('deploy/Caddyfile')).split(/^\{$/m)
  const used = captured(rest.join('{'), /\{\$([A-Z_]+)/g)
  expect(used.length).toBeGreaterThan(5)
  expect(used.filter((name) => !new RegExp(`^# .*\\b${name}\\b`, 'm').test(head))).toEqual([])
})

test('Caddy and Sitehost meet where both are by default', async () => {
  const caddyfile = await read('deploy/Caddyfile')
  const example = await read('.env.example')
  expect(caddyfile).toContain('{$UPSTREAM:127.0.0.1:3000}')
  expect(example).toMatch(/^HOST=127\.0\.0\.1\nPORT=3000$/m)
  expect(caddyfile).toContain('{$ASK_LISTEN:127.0.0.1:3001}')
  expect(example).toContain('Empty: 127.0.0.1:3001 where BASE_URL is https')
})

test('the unit and the commands beside it work on one folder, which is the unit’s', async () => {
  const unit = await read('deploy/sitehost.service')
  const [folder] = captured(unit, /^ExecStart=\S+ serve --data \/var\/lib\/(\S+)$/gm)
  expect(captured(unit, /^StateDirectory=(\S+)$/gm)).toEqual([folder ?? 'none'])
  const commands = captured(
    await read('docs/operating.md'),
    /\/opt\/sitehost\/bin\/sitehost (.+)$/gm,
  )
  expect(commands).toEqual([`backfill --data /var/lib/${folder}`])
})

test.skipIf(!packsForDebian)(
  'the package for Debian has program, unit and settings, and its user’s data stays',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-deb-'))
    try {
      const deb = join(dir, 'sitehost.deb')
      await Bun.write(join(dir, 'program'), '#!/bin/sh\n')
      await Bun.$`${join(root, 'deploy/deb/build')} ${join(dir, 'program')} amd64 1.2.3 ${deb}`.quiet()
      const listed = (await Bun.$`dpkg-deb --contents ${deb}`.text()).split('\n')
      const modes = new Map(
        listed.map((line) => [line.split(' ').at(-1), line.slice(0, 20).trim()]),
      )
      expect(modes.get('./usr/bin/sitehost')).toBe('-rwxr-xr-x root/root')
      expect(modes.get('./etc/sitehost/sitehost.env')).toBe('-rw------- root/root')
      await Bun.$`dpkg-deb --raw-extract ${deb} ${join(dir, 'tree')}`.quiet()
      const packed = (path: string) => Bun.file(join(dir, 'tree', path)).text()
      expect(await packed('DEBIAN/conffiles')).toBe('/etc/sitehost/sitehost.env\n')
      expect(await packed('DEBIAN/control')).toMatch(/^Version: 1\.2\.3\nArchitecture: amd64$/m)
      const unit = await packed('usr/lib/systemd/system/sitehost.service')
      expect(unit).toContain('ExecStart=/usr/bin/sitehost serve --data /var/lib/sitehost')
      expect(unit).not.toContain('/opt/')
      expect(await packed('DEBIAN/postrm')).not.toContain('rm ')
    } finally {
      await rm(dir, { recursive: true })
    }
  },
)

test('health checks are in the format of the image that is built', async () => {
  expect(await read('deploy/Containerfile')).toMatch(/^HEALTHCHECK /m)
  for (const path of ['deploy/Containerfile', 'docs/operating.md']) {
    const builds = (await read(path)).match(/podman build .*/g) ?? []
    expect(builds).toEqual(['podman build --format docker -f deploy/Containerfile -t sitehost .'])
  }
})

test('the unit bounds memory as the document says', async () => {
  const limits = (await read('deploy/sitehost.service')).match(/^Memory.*=.*$/gm) ?? []
  expect(limits).toHaveLength(2)
  const document = await read('docs/operating.md')
  for (const limit of limits) expect(document).toContain(`\`${limit}\``)
})

test.skipIf(!knowsUnits)('systemd understands every line of the unit', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-unit-'))
  try {
    const unit = (await read('deploy/sitehost.service')).replaceAll('/opt/sitehost', root)
    const path = join(dir, 'sitehost.service')
    await Bun.write(path, unit)
    const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', path])
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  } finally {
    await rm(dir, { recursive: true })
  }
})
