import { skipReason } from '#site/upload/path-rules.ts'

/**
 * Whether `pull` writes a stranger's file of this path. Programs run what is in places such as `.git`, and some file systems find
 * them by other names, too: none of these is written, on any system. What Windows has no file for is not written there.
 */
export function isWritable(path: string, platform: NodeJS.Platform = process.platform): boolean {
  if (skipReason(path) !== null || skipReason(foundAs(path)) !== null) return false
  return platform !== 'win32' || !path.split('/').some(isUnknownToWindows)
}

/** The path by which Windows or macOS may find it. */
const foundAs = (path: string): string => path.split('/').map(nameFoundAs).join('/')

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
