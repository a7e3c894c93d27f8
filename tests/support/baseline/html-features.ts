import { statuses } from './statuses.ts'

/** Keys of an element with these attributes, by their names in HTML. */
export function* elementFeatures(
  tag: string,
  attributes: Iterable<readonly [name: string, value: string | null]>,
): Generator<string> {
  const language = statuses.has(`html.elements.${tag}`) ? 'html' : 'svg'
  yield `${language}.elements.${tag}`
  for (const [name, value] of attributes) {
    for (const owner of [`elements.${tag}`, 'global_attributes']) {
      yield `${language}.${owner}.${name}`
      yield `${language}.${owner}.${name}.${value}`
      yield `${language}.${owner}.${name}_${value}`
    }
  }
}

/** What a document has in it. Scripts and styles are for the other checks. */
export function documentParts(html: string) {
  const features = new Set<string>()
  const scripts: string[] = []
  const styles: string[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element({ attributes, tagName }) {
      for (const key of elementFeatures(tagName, [...attributes] as [string, string][]))
        features.add(key)
    },
  })
  for (const [selector, texts] of [
    ['script:not([type*=json])', scripts],
    ['style', styles],
  ] as const) {
    rewriter.on(selector, {
      element: () => void texts.push(''),
      text: ({ text }) => void texts.push((texts.pop() ?? '') + text),
    })
  }
  rewriter.transform(html)
  return { features, scripts, styles }
}
