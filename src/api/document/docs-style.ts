import { fontPaths, formTokens, pageTokens } from '#site/own-pages/page-tokens.ts'

/** Of the API reference and of the form for reports. Fetches the fonts of the web app and nothing else. */
export const docsStyle = `${pageTokens}
${formTokens}
@font-face { font-family: "Geist Variable"; font-weight: 100 900; font-display: swap; src: url("${fontPaths.text}") format("woff2") }
@font-face { font-family: "Geist Mono Variable"; font-weight: 100 900; font-display: swap; src: url("${fontPaths.mono}") format("woff2") }
*, *::before { box-sizing: border-box }
html { scroll-padding-top: 5rem; accent-color: var(--accent); -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 0.9375rem/1.5 "Geist Variable", system-ui, sans-serif; overflow-wrap: anywhere }
code, pre, .method, .type { font-family: "Geist Mono Variable", ui-monospace, monospace; font-size: 0.8125rem }
h1 { margin: 0 0 1rem; font-size: 1.75rem; font-weight: 650; letter-spacing: -0.02em; line-height: 1.2 }
h2 { margin: 3.5rem 0 0; font-size: 1.375rem; font-weight: 600; letter-spacing: -0.01em; line-height: 1.2 }
h3 { margin: 0 0 0.5rem; font-size: 1rem; font-weight: 500 }
h3 code { font-size: 0.9375rem }
h4 { margin: 1.25rem 0 0.5rem; font-size: 0.8125rem; font-weight: 600 }
p { margin: 0 0 0.75rem; max-width: 42rem }
a { color: var(--accent); text-underline-offset: 0.2em }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 1.5rem; align-items: center; height: 3.5rem; padding: 0 1.25rem; border-bottom: 1px solid var(--line); background: var(--paper) }
header a { color: inherit; font-size: 0.875rem; text-decoration: none }
header a:first-child { flex: 1; font-size: 0.9375rem; font-weight: 600 }
main { max-width: 64rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem }
article { padding: 2rem 0; border-bottom: 1px solid var(--line) }
.method { display: inline-block; padding: 0.0625rem 0.4375rem; border-radius: 4px; background: var(--accent-tint); color: var(--accent); font-weight: 600 }
.access, small, .type { color: var(--ink-soft) }
.type { margin: 0.5rem 0 0.25rem }
small { font-size: 0.8125rem }
dl { display: grid; gap: 0 1rem; margin: 0 }
dt { padding-top: 0.625rem; font-weight: 500 }
dd { min-width: 0; margin: 0; padding: 0.25rem 0 0.625rem }
pre { margin: 0 0 0.5rem; padding: 0.75rem; border-radius: 6px; background: var(--sunken); white-space: pre-wrap; tab-size: 2 }
ul { margin: 0; padding: 0; list-style: none }
.examples li { padding: 0.125rem 0 0.125rem 0.75rem; border-left: 2px solid var(--line); color: var(--ink-soft); font-size: 0.875rem }
nav { padding: 1rem 1.25rem; border-bottom: 1px solid var(--line) }
nav p { display: inline-block; margin: 0 1rem 0 0; line-height: 2.75rem }
nav ul { display: none }
nav a { color: inherit; text-decoration: none }
nav a:hover, header a:hover { color: var(--accent) }
.narrow main { max-width: 38.5rem }
label { font-weight: 500 }
input, select, textarea, button { min-height: 2.75rem; padding: 0.5rem 0.75rem; border-radius: 6px; font: inherit }
input, select, textarea { width: 100%; margin-top: 0.25rem; border: 1px solid var(--edge); background: var(--surface); color: inherit }
button { padding-inline: 1.25rem; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 550; cursor: pointer }
[role="alert"], [role="status"] { padding: 0.75rem 1rem; border-radius: 10px }
[role="alert"] { background: var(--danger-tint); color: var(--danger) }
[role="status"] { background: var(--accent-tint) }
@media (min-width: 40rem) {
  dl { grid-template-columns: minmax(4rem, 10rem) minmax(0, 1fr) }
  dt, dd { padding: 0.5rem 0; border-top: 1px solid var(--line) }
}
@media (min-width: 60rem) {
  .docs { display: grid; grid-template-columns: 21rem minmax(0, 1fr) }
  .docs header { grid-column: 1 / -1 }
  nav { position: sticky; top: 3.5rem; height: calc(100vh - 3.5rem); overflow: auto; border-right: 1px solid var(--line); border-bottom: 0 }
  nav p { display: block; margin: 1rem 0 0.25rem; font-weight: 600; line-height: 1.5 }
  nav ul { display: block }
  nav li a { display: block; padding: 0.1875rem 0 }
  nav code { font-size: 0.75rem }
  nav .method { padding: 0; background: none; font-size: 0.6875rem }
  .docs main { margin: 0; padding: 2.5rem 3rem 5rem }
}
@media (pointer: fine) { input, select, button { min-height: 2.25rem } }
`
