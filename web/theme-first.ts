import { applyTheme } from '#web/shell/bar/theme.ts'
import { noteEarlyPress } from './early-press.ts'

// Before the page is painted: `src/main/web-app/web-assets.ts` puts it in front of the style sheets.
applyTheme()
noteEarlyPress()
