import type { Locale } from '#site/locales.ts'
import type { Catalogue } from './en.ts'
import type { enOwn } from './en-own.ts'
import { enShell } from './en-shell.ts'
import { currentLocale } from './locale.ts'

/**
 * Every sentence that people read, in their language. Complete before the first render of what says them: the sections of
 * `en-own.ts` come with the pages of an account.
 */
export let words = enShell as Catalogue

/** Other languages than English are loaded when they are wanted. Keeps English when that fails. */
export async function loadWords(locale: Locale = currentLocale()): Promise<void> {
  if (locale !== 'de') return
  const loaded = await import('./de.ts').catch(() => null)
  words = loaded?.de ?? words
}

/** Another language may be here already. */
export function addOwnWords(own: Partial<typeof enOwn>): void {
  words = { ...own, ...words }
}
