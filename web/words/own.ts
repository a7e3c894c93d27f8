import { domains } from './en/domains.ts'
import { site } from './en/site.ts'
import { sites } from './en/sites.ts'
import { versions } from './en/versions.ts'
import { addOwnWords } from './words.ts'

// With the chunk that the pages of an account share. What one page or part says alone is in `own-….ts`, with its chunk.
addOwnWords({ domains, site, sites, versions })
