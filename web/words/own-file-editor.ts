import { fileEditor } from './en/file-editor.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ fileEditor })
