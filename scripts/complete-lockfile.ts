// Adds to package-lock.json the platform packages that are missing there: npm leaves out of the lock file
// the platform packages that its registry lacks, and then refuses it: `npm ci` wants one for every platform.

const path = new URL('../package-lock.json', import.meta.url)

interface LockEntry {
  version?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const lock = (await Bun.file(path).json()) as { packages: Record<string, LockEntry> }
const added: string[] = []
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`
    if (lock.packages[key] !== undefined) continue
    lock.packages[key] = {
      version,
      ...(entry.dev && { dev: true }),
      optional: true,
      ...platformOf(name),
    }
    added.push(`${name}@${version}`)
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
)
await Bun.write(path, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length === 0 ? 'complete' : `added ${added.join(', ')}`)

/** What the name of a platform package says, so that npm installs it there and nowhere else. */
function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const words = name.slice(name.indexOf('/') + 1).split('-')
  const os = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'].find((known) =>
    words.includes(known),
  )
  const cpu = ['arm64', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'arm'].find((known) =>
    words.includes(known),
  )
  if (os === undefined || cpu === undefined) throw new Error(`${name} is not a platform package`)
  const isMusl = words.some((word) => word.startsWith('musl'))
  const libc = os === 'linux' ? { libc: [isMusl ? 'musl' : 'glibc'] } : {}
  return { os: [os], cpu: [cpu], ...libc }
}
