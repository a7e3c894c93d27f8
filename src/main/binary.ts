// The start of the service's one-file binary, which `npm run build:binaries` compiles: what bin/sitehost and main.ts do for
// the sources.

import { existsSync } from 'node:fs'
import { siteCommandNames } from '#cli/site-program.ts'
import { printNotices } from './print-notices.ts'
import { defaultPurgeDelayMs } from './process/purge-delay.ts'

process.umask(0o077)

const [, , command = ''] = process.argv
if (command === '--licences') {
  await printNotices()
} else {
  // A site owner's folder may be a stranger's: its .env must not choose the server that gets the app password.
  if (!siteCommandNames.has(command)) {
    restartWithLimits()
    if (existsSync('.env')) process.loadEnvFile('.env')
  }
  await import('./program.ts')
}

/** Bun reads these at its start; `bin/sitehost` says why. On Windows, where a process cannot become another one, Bun's defaults apply. */
function restartWithLimits(): void {
  const { argv, env, execPath, platform } = process
  const limits = { BUN_CONFIG_MAX_HTTP_REQUESTS: '1408', MIMALLOC_PURGE_DELAY: defaultPurgeDelayMs }
  const areSet = Object.keys(limits).every((name) => env[name] !== undefined)
  if (areSet || platform === 'win32') return
  process.execve?.(execPath, [execPath, ...argv.slice(2)], { ...limits, ...env })
}
