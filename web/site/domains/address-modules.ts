// What the pages that show or choose addresses have in common, in one chunk: the other pages of an account load nothing of it.
import '#web/words/own-domains.ts'
import './address-field.tsx'
import './address-state.tsx'
import './typed-host.ts'
import './use-name-check.ts'
