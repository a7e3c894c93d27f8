import { join } from 'node:path'
import { forPostgres } from './databases.ts'

const root = join(import.meta.dir, '../../..')
const callsOnEach = /^onEach(?:Own)?Store\(/m
const isOutside = /^(?:describe|test|(?:before|after)(?:Each|All))\b/m

/** Runs the suites of `onEachStore` and `onEachOwnStore` in these files on PostgreSQL, if that answers. */
export async function onPostgres(isWanted: (path: string) => boolean): Promise<void> {
  const paths = Array.from(new Bun.Glob('{src,tests}/**/*.test.ts').scanSync(root))
    .toSorted()
    .filter(isWanted)
  await forPostgres(async () => {
    for (const path of paths) {
      const file = join(root, path)
      const text = await Bun.file(file).text()
      if (!callsOnEach.test(text)) continue
      // What stands there would run for the suites of all files.
      if (isOutside.test(text)) throw new Error(`${path} has tests outside of its suites`)
      // With a query, for Bun loads a file once, and this process may have run it on SQLite.
      await import(`${file}?postgresql`)
    }
  })
}
