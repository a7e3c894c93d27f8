import { type Catalogue, en } from './en.ts'
import { currentLocale, type Locale } from './locale.ts'

/** Every sentence that people read, in their language. Complete before the first render. */
export let words: Catalogue = en

/** Other languages than English are loaded when they are wanted. Keeps English when that fails. */
export async function loadWords(locale: Locale = currentLocale()): Promise<void> {
  if (locale === 'de')
    words = await import('./de.ts').then(
      ({ de }) => de,
      () => en,
    )
  document.documentElement.lang = words.locale
}
