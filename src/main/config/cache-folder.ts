import { isAbsolute, join } from 'node:path'

/**
 * The folder of what is kept: the first that systemd gives the service (`CacheDirectory=`), else beside the packages. Code is
 * loaded from it, so one that depends on the working directory does not count.
 */
export function cacheOf(root: string): string {
  const [first = ''] = (process.env['CACHE_DIRECTORY'] ?? '').split(':')
  return isAbsolute(first) ? first : join(root, 'node_modules/.cache')
}
