import { type Locale, localeCookie, locales } from '#site/locales.ts'

/** In their own words. */
export const localeNames: Readonly<Record<Locale, string>> = { en: 'English', de: 'Deutsch' }

/** The document's: the service sends it in the language that somebody chose, or that their browser prefers. */
export function currentLocale(): Locale {
  if (typeof document === 'undefined') return 'en'
  return locales.find((locale) => locale === document.documentElement.lang) ?? 'en'
}

const keptSeconds = 365 * 24 * 60 * 60

/** Remembers the choice and loads the page in it. */
export function setLocale(locale: Locale): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
  document.cookie = `${localeCookie}=${locale}; Path=/; Max-Age=${keptSeconds}; SameSite=Lax`
  location.reload()
}
