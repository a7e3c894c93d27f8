import { versions } from './en/versions.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ versions })
