import { parseSiteName } from '#site/site-name.ts'
import { siteNameCharsMax } from './suggest-site-name.ts'

/** What is wrong with a site's name, as a sentence for whoever typed it; null for a name that a site can have. */
export function siteNameProblem(name: string): string | null {
  if (parseSiteName(name) !== null) return null
  if (name === '') return 'Give the site a name.'
  if (name === '.' || name === '..')
    return 'A dot or two dots are no name. Add a letter or a digit.'
  const foreign = /[^A-Za-z0-9._~:-]/u.exec(name)?.[0]
  if (foreign === undefined) {
    return `A name can have ${siteNameCharsMax} characters; this one has ${name.length}.`
  }
  const what = /\s/u.test(foreign) ? 'a space' : `“${foreign}”`
  return `A name cannot have ${what} in it.`
}
