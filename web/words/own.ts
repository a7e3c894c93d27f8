import { site } from './en/site.ts'
import { sites } from './en/sites.ts'
import { addOwnWords } from './words.ts'

// With the chunk that the pages of an account share. What some pages or parts say is in `own-….ts`, with their chunks.
addOwnWords({ site, sites })
