import { applyTheme } from '#web/shell/bar/theme.ts'
import { noteEarlyPress } from './early-press.ts'
import { isTooOld, showWithoutScript } from './too-old.ts'

// Before the page is painted: `src/main/web-app/web-assets.ts` puts it in front of the style sheets.
applyTheme()
if (isTooOld()) showWithoutScript()
else {
  // Hides the sentence for browsers that are too old.
  document.documentElement.dataset['fits'] = ''
  noteEarlyPress()
}
