import { join } from 'node:path'

/** The folder of what is kept: the one that systemd gives the service (`CacheDirectory=`), else beside the packages. */
export const cacheOf = (root: string): string =>
  process.env['CACHE_DIRECTORY'] ?? join(root, 'node_modules/.cache')
