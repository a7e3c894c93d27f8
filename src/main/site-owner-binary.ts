// The start of the one-file binary for site owners, which `npm run build:binaries` compiles.

import { printNotices } from './print-notices.ts'

if (process.argv[2] === '--licences') await printNotices()
else await import('./site-owner-cli.ts')
