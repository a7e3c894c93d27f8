import { dirname, join, resolve } from 'node:path'
import type { BuildMetafile, BunPlugin } from 'bun'

/** A page of the app: its pattern in `web/routes.ts`, and the files that it is made of besides the shell. */
export interface PageModules {
  readonly pattern: string
  readonly files: readonly string[]
  /** Of an account. */
  readonly isOwn: boolean
}

export interface LazyModules {
  readonly pages: readonly PageModules[]
  /** Every file that the app loads by `import()`, and whether it is of a page of the account. */
  readonly files: ReadonlyMap<string, { readonly isOwn: boolean }>
}

const routesFile = 'routes.ts'
const shell = '#web/open-app.tsx'
const ownParts = '#web/shell/own.tsx'

/** Reads from the source which files are loaded on their own, and which of them each page needs. */
export async function readLazyModules(webDir: string): Promise<LazyModules> {
  const scanned = new Bun.Glob('**/*.{ts,tsx}').scan(webDir)
  const sources = (await Array.fromAsync(scanned)).filter((path) => !path.startsWith('admin/'))
  const texts = await Promise.all(
    sources.map(async (path) => [path, await Bun.file(join(webDir, path)).text()] as const),
  )
  const at = (from: string, target: string) =>
    target.startsWith('#web/')
      ? join(webDir, target.slice(5))
      : resolve(webDir, dirname(from), target)
  const files = new Map<string, { isOwn: boolean }>()
  for (const [path, text] of texts) {
    for (const target of importedIn(text)) files.set(at(path, target), { isOwn: false })
  }
  const routes = texts.find(([path]) => path === routesFile)?.[1] ?? ''
  const [, ...entries] = routes.split(/\bpattern: '/)
  const pages = entries.map((entry): PageModules => {
    const pattern = entry.slice(0, entry.indexOf("'"))
    const [page = ''] = importedIn(entry)
    const isOwn = entry.includes('...ofSite') || entry.includes('isOwn: true')
    const file = at(routesFile, page)
    if (isOwn) files.set(file, { isOwn })
    return { pattern, files: [file], isOwn }
  })
  return { pages, files }
}

const importedIn = (text: string): string[] =>
  [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, target = '']) => target)

/**
 * Makes one chunk of the shell, and one of what all pages of an account share: the bundler makes one for each set of
 * pages that have a module in common, which are dozens of requests. So each page imports all of both.
 */
export const sharedChunks = ({ files }: LazyModules): BunPlugin => ({
  name: 'shared-chunks',
  setup(build) {
    build.onLoad({ filter: /\/web\/.*\.tsx?$/ }, async ({ path }) => {
      const lazy = files.get(path)
      const text = await Bun.file(path).text()
      // Of a worker, which has no document.
      if (lazy === undefined || text.includes('new Worker(')) return undefined
      const shared = lazy.isOwn ? [shell, ownParts] : [shell]
      const imports = shared.map((file) => `import '${file}'\n`).join('')
      return { contents: imports + text, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
})

/** The addresses of the chunks that these files need before they can run. */
export function chunksOf(files: readonly string[], { outputs }: BuildMetafile): string[] {
  const found = new Set<string>()
  const add = (path: string): void => {
    if (found.has(path)) return
    found.add(path)
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') add(imported)
    }
  }
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    const isScript = path.endsWith('.js') && entryPoint !== undefined
    if (isScript && files.includes(resolve(entryPoint))) add(path)
  }
  return [...found].map((path) => path.replace(/^\./, ''))
}
