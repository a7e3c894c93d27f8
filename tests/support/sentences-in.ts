/** Text between tags, and attributes that people read or hear. */
const text =
  /(?<!=)>[ \t]*([^<>{}=;()&|[\]`$+\n]*[a-z]{2,}[^<>{}=;()&|[\]`$+\n]*)[ \t]*(?:<|\{|\n)/gi
const attribute = /\b(?:aria-label|label|title|placeholder|hint|alt)="([^"]*[a-z]{2,}[^"]*)"/gi
const startsLine = /^ {4,}([A-Z][a-z’']*(?: [\w’',.]+)+)[ {]*$/gm

/** A string of several words that ends like a sentence, wherever it is. */
const quoted = /(['"`])([A-Z][^'"`\n]* [^'"`\n]*[.…?!])\1/g

/** The sentences in a component. */
export function sentencesIn(source: string): string[] {
  const markup = withoutComments(source)
  const found = [text, attribute, startsLine].flatMap((kind) => [...markup.matchAll(kind)])
  const sentences = found.map(([, sentence = '']) => sentence.trim())
  return [...sentences.filter((sentence) => sentence !== ''), ...quotedIn(markup)]
}

export function quotedIn(source: string): string[] {
  return [...withoutComments(source).matchAll(quoted)].map(([, , sentence = '']) => sentence)
}

const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
