import { pageStyle } from './page-style.ts'

/** A drawing above the title: a sheet of paper in this state. */
export type PageFigure = 'missing' | 'gone' | 'closed' | 'coming' | 'done'

interface PageContent {
  /** HTML, as is `body`. */
  readonly title: string
  readonly body: string
  readonly figure: PageFigure | null
  readonly code: number | null
}

/** A small page, for light and dark, without script and without a request for anything else. */
export function pageHtml({ title, body, figure, code }: PageContent, footer: string): string {
  const drawing =
    figure === null
      ? ''
      : `<svg viewBox="0 0 40 48" width="44" height="52" aria-hidden="true">${drawings[figure]}</svg>\n`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${pageStyle}</style>
<body${figure === null ? ' class="wide"' : ''}>
<main>
${drawing}${code === null ? '' : `<p class="code">${code}</p>\n`}<h1>${title}</h1>
${body}
</main>
${footer}</html>
`
}

const sheet = 'M2 2h25l11 11v33H2z'

const drawings: Readonly<Record<PageFigure, string>> = {
  missing: `<path stroke-dasharray="4 4" d="${sheet}"/><path d="M14 24h12M14 32h8"/>`,
  gone: `<path stroke-dasharray="2 5" d="${sheet}"/>`,
  closed: `<path d="${sheet}M27 2v11h11"/><path d="M11 30h18"/>`,
  coming: `<path d="${sheet}M27 2v11h11"/><path d="M13 30h0M20 30h0M27 30h0"/>`,
  done: `<path d="${sheet}M27 2v11h11"/><path d="M12 29l6 6 10-12"/>`,
}
