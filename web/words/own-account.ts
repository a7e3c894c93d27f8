import { account } from './en/account.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ account })
