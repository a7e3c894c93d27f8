import { parseSiteName } from '#site/site-name.ts'
import { words } from '#web/words/words.ts'
import { siteNameCharsMax } from './suggest-site-name.ts'

/** What is wrong with a site's name, as a sentence for whoever typed it; null for a name that a site can have. */
export function siteNameProblem(name: string): string | null {
  const { form } = words.publish
  if (parseSiteName(name) !== null) return null
  if (name === '') return form.noName
  if (name === '.' || name === '..') return form.onlyDots
  const foreign = /[^A-Za-z0-9._~:-]/u.exec(name)?.[0]
  if (foreign === undefined) return form.tooLong(siteNameCharsMax, name.length)
  return /\s/u.test(foreign) ? form.space : form.foreign(foreign)
}
