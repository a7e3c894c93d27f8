/** The languages that the app speaks. */
export const locales = ['en', 'de'] as const

export type Locale = (typeof locales)[number]

/** In their own words. */
export const localeNames: Readonly<Record<Locale, string>> = { en: 'English', de: 'Deutsch' }

/** What somebody chose here, else the first of their browser's languages that the app speaks, else English. */
export function chooseLocale(chosen: string | null, preferred: readonly string[]): Locale {
  const wanted = [chosen ?? '', ...preferred].map((tag) => tag.toLowerCase().split('-')[0])
  return wanted.map((tag) => locales.find((locale) => locale === tag)).find(Boolean) ?? 'en'
}

const storageKey = 'locale'

export function currentLocale(): Locale {
  if (typeof navigator === 'undefined') return 'en'
  return chooseLocale(storedLocale(), navigator.languages)
}

/** Remembers the choice and loads the page in it. */
export function setLocale(locale: Locale): void {
  localStorage.setItem(storageKey, locale)
  location.reload()
}

function storedLocale(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    // Blocked by the browser's settings.
    return null
  }
}
