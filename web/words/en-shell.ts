import { notFound } from './en/not-found.ts'
import { parts } from './en/parts.ts'
import { publish } from './en/publish.ts'
import { server } from './en/server.ts'
import { shell } from './en/shell.ts'
import { start } from './en/start.ts'

/** What pages for everybody say. */
export const enShell = {
  locale: 'en',
  notFound,
  parts,
  publish,
  server,
  shell,
  start,
}
