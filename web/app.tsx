import { openApp } from './open-app.tsx'
import { isTooOld } from './too-old.ts'

// Not `await`: modules that await at their top level run in the wrong order in Safari before 27.
if (!isTooOld()) void openApp()
