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

/** Before the first render; `tokens.css` has the colours of each. */
export function applyTheme(theme: Theme = storedTheme()): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
}
