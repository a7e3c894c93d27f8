import { keptProgram } from './build-cache/kept-program.ts'

// Only this user may read our files: the database holds sessions, the spool holds uploads.
process.umask(0o077)

await import((await keptProgram()) ?? './program.ts')
