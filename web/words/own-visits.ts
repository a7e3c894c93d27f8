import { visits } from './en/visits.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ visits })
