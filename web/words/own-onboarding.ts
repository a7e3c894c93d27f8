import { onboarding } from './en/onboarding.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ onboarding })
