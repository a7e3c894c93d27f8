import { files } from './en/files.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ files })
