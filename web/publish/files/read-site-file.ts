import { config } from 'zod'

// It would make functions of strings, which the policy of these pages forbids.
config({ jitless: true })

export { parseSiteFile } from '#site/upload/site-file.ts'
