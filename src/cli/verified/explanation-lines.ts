import type { HeaderOrigin } from '#site/rules/header-block.ts'
import type { ExplainedHeader, Explanation } from '#site/visit/explain.ts'

/** For a person. A header that the owner has no part in is as every Sitehost sends it, and has no origin. */
export function explanationLines(explanation: Explanation, uri: string): string[] {
  const { by, file, headers, location, overruled, rule, status } = explanation
  const what =
    file === null
      ? location === null
        ? whatOf(by)
        : `a redirect to ${location}`
      : `the file ${file}`
  return [
    `${status}: ${what}`,
    `  of ${uri}`,
    `  because ${reasons[by]}`,
    ...(rule === null ? [] : [`  _redirects, line ${rule.line}: ${rule.text}`]),
    ...(overruled === null
      ? []
      : [
          `  without effect, because files come first: _redirects, line ${overruled.line}: ${overruled.text}`,
        ]),
    ...headers.map((header) => `  ${headerLine(header)}`),
  ]
}

const whatOf = (by: Explanation['by']): string =>
  by === 'listing' ? 'a list of the folder’s files' : 'an error page of the host'

const reasons: Readonly<Record<Explanation['by'], string>> = {
  file: 'there is a file for this address',
  'earlier-asset': 'an earlier version has a file for this address',
  rule: 'a line of _redirects applies',
  'forced-rule': 'a line of _redirects applies, whose “!” puts it before files',
  listing: 'it is a folder without an index file, and the settings list such folders',
  application: 'no file matches, and the settings show one page for such addresses',
  nothing: 'no file and no rule matches',
  reserved:
    'visitors never get what is at this address: it configures the site, or is kept for certificates',
  request: 'this is not a valid address',
}

function headerLine({ from, name, value }: ExplainedHeader): string {
  const field = value === null ? `without ${name}` : `${name}: ${value}`
  return from.length === 0 ? field : `${field}  (${from.map(originOf).join('; ')})`
}

const originOf = (from: HeaderOrigin): string =>
  from.kind === 'file' ? `_headers, line ${from.line}` : `settings, header ${from.index + 1}`
