export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

const storageKey = 'theme'

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(storageKey)
    return themes.find((theme) => theme === stored) ?? 'system'
  } catch {
    // Blocked by the browser's settings.
    return 'system'
  }
}

/** Shows a theme and remembers it, for all pages of this origin. */
export function setTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, theme)
  } catch {
    // Blocked: it lasts until the next load.
  }
  applyTheme(theme)
}

/** `tokens.css` has the colours of each; the document names the browser's own beside the page, one for each scheme. */
export function applyTheme(theme: Theme = storedTheme()): void {
  for (const scheme of ['light', 'dark'] as const) {
    const meta = document.querySelector<HTMLMetaElement>(`meta[data-scheme="${scheme}"]`)
    const chosen = theme === scheme ? 'all' : 'not all'
    if (meta !== null)
      meta.media = theme === 'system' ? `(prefers-color-scheme: ${scheme})` : chosen
  }
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
}
