import { problemsMax } from '#site/limits.ts'

/** A sentence about each root file that another host reads and we do not, with our equivalent. In the order of the paths. */
export function foreignFileProblems(paths: Iterable<string>): string[] {
  const problems: string[] = []
  for (const path of paths) {
    const problem = path.includes('/') ? null : describeForeignFile(path)
    if (problem !== null) problems.push(problem)
    if (problems.length === problemsMax) break
  }
  return problems
}

function describeForeignFile(name: string): string | null {
  const instead = foreignFiles.get(name)
  if (instead !== undefined) return `${name} is ${instead}`
  const lowerCase = name.toLowerCase()
  const isMisspelled = ownFiles.has(lowerCase) && name !== lowerCase
  return isMisspelled ? `${name} is not read: call it ${lowerCase}, in lower case` : null
}

const ownFiles = new Set(['_redirects', '_headers'])

const wrangler =
  "Cloudflare's, and not read by Sitehost: how missing pages and addresses without .html are answered is in the site's settings"

const foreignFiles = new Map([
  [
    'netlify.toml',
    "Netlify's, and not read by Sitehost: put its redirects into _redirects and its headers into _headers",
  ],
  [
    'vercel.json',
    "Vercel's, and not read by Sitehost: put its redirects and rewrites into _redirects, its headers into _headers, cleanUrls and trailingSlash into the site's settings",
  ],
  ['wrangler.toml', wrangler],
  ['wrangler.json', wrangler],
  ['wrangler.jsonc', wrangler],
  [
    '.assetsignore',
    "Cloudflare's, and not read by Sitehost: list what is not to be published in .sitehostignore",
  ],
])
