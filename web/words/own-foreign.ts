import { foreign } from './en/foreign.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ foreign })
