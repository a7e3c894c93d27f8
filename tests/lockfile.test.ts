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
