import { dns } from './en/dns.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ dns })
