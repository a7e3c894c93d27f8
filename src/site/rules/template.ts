/** A string with placeholders for captures. */
export type Template = readonly (string | { readonly name: string })[]

export type TemplateValues = Pick<ReadonlyMap<string, string>, 'get'>

export type KnownNames = Pick<ReadonlySet<string>, 'has'>

/**
 * Parses `:name` anywhere, greedily: `:id` and `:idx` are two names. After a letter or a digit it is a name only
 * if it is in `names`: `Special:Search` is literal. So is `:` before a digit.
 */
export function parseTemplate(text: string, names: KnownNames): Template {
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

/** The first name of the template that is not in `names`; null if there is none. */
export function unknownName(template: Template, names: KnownNames): string | null {
  const unknown = template.find((part) => typeof part !== 'string' && !names.has(part.name))
  return unknown === undefined || typeof unknown === 'string' ? null : unknown.name
}

/** Null if the result would exceed `charsMax`; names without a value become empty. */
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
