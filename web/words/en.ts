import type { enOwn } from './en-own.ts'
import type { enShell } from './en-shell.ts'

/** What each language has to say. A missing sentence is a type error. */
export type Catalogue = typeof enShell & typeof enOwn
