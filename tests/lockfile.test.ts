import { expect, test } from 'bun:test'
import { join } from 'node:path'

interface Package {
  readonly resolved?: string
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

interface Lock {
  readonly packages: Record<string, Package>
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

  test(`${name} holds nothing that nothing needs`, async () => {
    const { packages } = (await Bun.file(join(import.meta.dir, '..', name)).json()) as Lock
    const needed = neededPlaces(packages)
    const places = Object.keys(packages).filter((place) => place.includes('node_modules/'))
    // npm leaves such entries when a package goes.
    expect(places.filter((place) => !needed.has(place))).toEqual([])
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
  for (const file of files.filter((name) => !/\.test\.tsx?$|\.d\.ts$/.test(name))) {
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

/** Where what the root needs is installed, by Node's rule: the nearest `node_modules` upwards. */
function neededPlaces(packages: Lock['packages']): ReadonlySet<string> {
  const needed = new Set<string>([''])
  for (const place of needed) {
    const entry: Package = packages[place] ?? {}
    const { dependencies, optionalDependencies, peerDependencies } = entry
    const development = place === '' ? entry.devDependencies : {}
    const named = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...development }
    for (const name of Object.keys(named)) {
      const found = foldersFrom(place).find((folder) => packages[`${folder}${name}`] !== undefined)
      if (found !== undefined) needed.add(`${found}${name}`)
    }
  }
  return needed
}

/** `node_modules/` folders that are looked through for what a package needs, nearest first. */
function foldersFrom(place: string): string[] {
  if (place === '') return ['node_modules/']
  const parent = place.slice(0, Math.max(place.lastIndexOf('node_modules/') - 1, 0))
  return [`${place}/node_modules/`, ...foldersFrom(parent)]
}
