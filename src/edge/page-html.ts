import { pageTokens } from '#site/page-tokens.ts'

/** A drawing above the title: a sheet of paper in this state. */
export type PageFigure = 'missing' | 'gone' | 'closed' | 'coming'

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
<style>${style}</style>
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
}

const style = `${pageTokens}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main,footer{width:100%;max-width:42rem;margin:0 auto;padding:18vh 1.25rem 4rem}
main{flex:1}
.wide>*{max-width:64rem}
.wide main{padding-top:3rem}
svg{display:block;margin-bottom:1.5rem;fill:none;stroke:var(--accent);stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
.code{margin:0 0 .25rem;font:.8125rem/1.5 ui-monospace,monospace}
h1{margin:0 0 .5rem;font-size:1.75rem;font-weight:650;letter-spacing:-.02em;line-height:1.2}
p,th,footer{color:var(--ink-soft)}
p{margin:0 0 1.25rem;max-width:36rem}
a{color:var(--accent);text-underline-offset:.2em}
a:focus-visible{outline:2px solid;outline-offset:2px;border-radius:6px}
p a{display:inline-block;padding:.5rem 1rem;border:1px solid var(--line);border-radius:6px;background:var(--surface);font-size:.9375rem;font-weight:550;text-decoration:none}
p a:hover,tr:hover{background:var(--accent-tint)}
table{width:100%;margin-top:1.5rem;border-collapse:collapse;font-size:.9375rem;font-variant-numeric:tabular-nums}
th,td{padding:.625rem .5rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
th{font-size:.8125rem;font-weight:400;white-space:nowrap}
:is(th,td):first-child{width:100%}
td:first-child{padding:0}
td+td{white-space:nowrap;color:var(--ink-soft)}
:is(th,td):nth-child(2){text-align:end}
td a{display:block;padding:.625rem .5rem;text-decoration:none}
footer{padding-block:1.25rem;border-top:1px solid var(--line);font-size:.8125rem}
footer a{color:inherit}
@media(max-width:30rem){:is(th,td):nth-child(3){display:none}}`

/** What a content security policy says to allow exactly this style. */
export const stylePolicy = `'sha256-${new Bun.CryptoHasher('sha256').update(style).digest('base64')}'`
