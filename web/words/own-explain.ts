import { explain } from './en/explain.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ explain })
