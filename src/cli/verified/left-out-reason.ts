import { ruleFileNames, skipReason } from '#site/upload/path-rules.ts'

interface LeftOutOptions {
  /** Take names that begin with a dot, as of a site that the user trusts. */
  readonly dotFiles?: true | undefined
  readonly platform?: NodeJS.Platform
}

/**
 * Why `pull` does not write a stranger's file of this path; null if it does. Programs run what is in places such as `.git`, and some
 * file systems find them by other names, too: none of these is written, on any system. What Windows has no file for is not written there.
 */
export function leftOutReason(
  path: string,
  { dotFiles, platform = process.platform }: LeftOutOptions = {},
): string | null {
  const names = path.split('/')
  for (const asFound of new Set([path, names.map(nameFoundAs).join('/')])) {
    const reason = skipReason(asFound) ?? reasonOf(asFound.split('/'), dotFiles === true)
    if (reason !== null) return reason
  }
  return platform === 'win32' && names.some(isUnknownToWindows) ? 'not a name on Windows' : null
}

function reasonOf(names: readonly string[], takesDotFiles: boolean): string | null {
  const name = names.at(-1)?.toLowerCase() ?? ''
  if (ruleFileNames.some((ruleFile) => ruleFile === name)) return 'settings of this tool'
  // Git runs what the config next to it says, also where a `commondir` file keeps `objects` and `refs` in another folder.
  if (name === 'head') return 'Git would take its folder for a repository'
  return takesDotFiles || !names.some(isDotName) ? null : 'its name begins with a dot'
}

/** Editors, assistants and version control obey what is in such places. RFC 8615's is for visitors. */
const isDotName = (name: string): boolean => name.startsWith('.') && name !== '.well-known'

/** The name by which Windows or macOS may find it. */
function nameFoundAs(name: string): string {
  const [beforeStream = ''] = name.replace(ignoredByMacos, '').split(':')
  const found = beforeStream.replace(/[. ]+$/, '')
  return /^git~\d+$/i.test(found) ? '.git' : found
}

/** Characters that HFS+ leaves out when it compares names, as Git lists them (CVE-2014-9390). */
const ignoredByMacos = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Devices, alternate streams and names that it changes: a file of the name would be another one, or none. */
const isUnknownToWindows = (name: string): boolean =>
  /[<>:"|?*]|[. ]$/.test(name) ||
  /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i.test(name)
