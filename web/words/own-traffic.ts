import { traffic } from './en/traffic.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ traffic })
