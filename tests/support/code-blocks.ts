/** The indented code blocks of a document as Markdown has them: lines with only empty lines between them are one. */
export function codeBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/(?<=^\n|\n\n)(?: {4}.*\n)(?:(?: {4}.*)?\n)*/g)].map(([block]) =>
    block.replace(/^ {4}/gm, '').trim(),
  )
}
