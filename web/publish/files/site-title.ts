import type { Choice } from './choose-files.ts'

/** The title of its start page, as people know it; null: there is none. */
export async function titleOfSite({ files }: Choice): Promise<string | null> {
  const index = files.find(({ path }) => path === 'index.html')
  if (index === undefined) return null
  const html = await (await index.open()).slice(0, titleBytesMax).text()
  const text = /<title[^>]*>[^<]*/i.exec(html)?.[0] ?? ''
  // Of the title only: the policy of this page is applied to the rest, and reported.
  const title = new DOMParser().parseFromString(text, 'text/html').title.trim()
  return title === '' ? null : title.slice(0, titleCharsMax)
}

const titleBytesMax = 64 * 1024
const titleCharsMax = 120
