import { enOwn } from './en-own.ts'
import { addOwnWords } from './words.ts'

// With the chunk that the pages of an account share.
addOwnWords(enOwn)
