/** The languages that the web app speaks; the first is for everybody who prefers none of them. */
export const locales = ['en', 'de'] as const

export type Locale = (typeof locales)[number]

/** Of the web app’s origin: the language that somebody chose there. */
export const localeCookie = 'locale'

/** What somebody chose, else the first of their browser's languages that the app speaks, else English. */
export function chooseLocale(chosen: string | null, preferred: readonly string[]): Locale {
  const wanted = [chosen ?? '', ...preferred].map((tag) => tag.toLowerCase().split('-')[0])
  return wanted.map((tag) => locales.find((locale) => locale === tag)).find(Boolean) ?? 'en'
}
