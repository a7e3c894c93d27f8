import { webhooks } from './en/webhooks.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ webhooks })
