import { expect, test } from 'bun:test'
import { join } from 'node:path'

interface Lock {
  readonly packages: Record<
    string,
    { optionalDependencies?: Record<string, string>; resolved?: string }
  >
}

for (const name of ['package-lock.json', 'devnet/package-lock.json']) {
  test(`${name} can be installed from on every platform`, async () => {
    const { packages } = (await Bun.file(join(import.meta.dir, '..', name)).json()) as Lock
    const named = Object.values(packages).flatMap(({ optionalDependencies }) =>
      Object.keys(optionalDependencies ?? {}),
    )
    const missing = named.filter(
      (dependency) => packages[`node_modules/${dependency}`] === undefined,
    )
    // `bun scripts/complete-lockfile.ts` adds them
    expect(missing).toEqual([])
  })

  test(`${name} names no registry`, async () => {
    const { packages } = (await Bun.file(join(import.meta.dir, '..', name)).json()) as Lock
    const hosts = Object.values(packages).filter(({ resolved }) => /^https?:/.test(resolved ?? ''))
    expect(hosts).toEqual([])
  })
}

test('what runs is made of dependencies, not of what development needs', async () => {
  const root = join(import.meta.dir, '..')
  const { dependencies } = await Bun.file(join(root, 'package.json')).json()
  const files = await Array.fromAsync(new Bun.Glob('{src,web}/**/*.{ts,tsx}').scan(root))
  const foreign: string[] = []
  for (const file of files.filter((name) => !/\.test\.tsx?$|\/contract\.ts$|\.d\.ts$/.test(name))) {
    const loader = file.endsWith('x') ? 'tsx' : 'ts'
    const { imports } = new Bun.Transpiler({ loader }).scan(await Bun.file(join(root, file)).text())
    for (const { path } of imports) {
      const [, name] = /^((?:@[^/]+\/)?[^./#@][^/]*)/.exec(path) ?? []
      if (name === undefined || /^(node:|bun$|bun:)/.test(name) || name in dependencies) continue
      foreign.push(`${file}: ${path}`)
    }
  }
  expect(foreign).toEqual([])
})
