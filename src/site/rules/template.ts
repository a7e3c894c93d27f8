/** Text with places for what a pattern captured. */
export type Template = readonly (string | { readonly name: string })[]

/** What stands for the names. */
export type TemplateValues = Pick<ReadonlyMap<string, string>, 'get'>

/**
 * Reads `:name` wherever it stands, each as long as it goes: `:id` and `:idx` are two. What follows a letter
 * or a digit is a name only if it is one of these: `Special:Search` is text. So is `:` before a digit.
 */
export function parseTemplate(text: string, names: ReadonlySet<string>): Template {
  const parts: (string | { name: string })[] = []
  let end = 0
  for (const { 0: placeholder, index } of text.matchAll(/:[A-Za-z_]\w*/g)) {
    const name = placeholder.slice(1)
    if (!names.has(name) && /\w/.test(text.charAt(index - 1))) continue
    if (index > end) parts.push(text.slice(end, index))
    parts.push({ name })
    end = index + placeholder.length
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

/** The first name that the template has and these are not; null when there is none. */
export function unknownName(template: Template, names: ReadonlySet<string>): string | null {
  const unknown = template.find((part) => typeof part !== 'string' && !names.has(part.name))
  return unknown === undefined || typeof unknown === 'string' ? null : unknown.name
}

/** Null when the result would be longer than that; names without a value stand for nothing. */
export function fillTemplate(
  template: Template,
  values: TemplateValues,
  charsMax: number,
): string | null {
  let text = ''
  for (const part of template) {
    text += typeof part === 'string' ? part : (values.get(part.name) ?? '')
    if (text.length > charsMax) return null
  }
  return text
}
