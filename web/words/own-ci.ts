import { ci } from './en/ci.ts'
import { addOwnWords } from './words.ts'

addOwnWords({ ci })
