import { noteEarlyPress } from './early-press.ts'
import { applyTheme } from './shell/theme.ts'

// Before the page is painted: `src/main/web-app/web-assets.ts` puts it in front of the style sheets.
applyTheme()
noteEarlyPress()
