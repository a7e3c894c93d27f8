import { settings } from './en/settings.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ settings })
