import { domains } from './en/domains.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ domains })
