/** Of the page at `/api/docs`. It fetches nothing. */
export const docsStyle = `
:root { color-scheme: light dark; --text: #1c1c1a; --soft: #5a5a55; --back: #fdfdfb; --box: #f1f1ec; --line: #cfcfc6; --link: #0b5394 }
@media (prefers-color-scheme: dark) {
  :root { --text: #ecece6; --soft: #b4b4ab; --back: #191918; --box: #262624; --line: #4a4a45; --link: #8ec1f5 }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
a { color: var(--link) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -100vw }
.skip:focus { left: 1.5rem; top: 0.5rem; background: var(--back) }
header { max-width: 44rem }
code, pre, .method { font-family: ui-monospace, monospace; font-size: 0.9em }
.method { color: var(--soft); font-weight: 600 }
nav ul { list-style: none; margin: 0; padding: 0 }
nav h2 { font-size: 1rem; margin: 1rem 0 0.25rem }
h2 { margin-top: 2.5rem }
h3 { overflow-wrap: anywhere }
h4 { margin: 1rem 0 0.25rem }
article { border-top: 1px solid var(--line); padding: 0.5rem 0 1.5rem }
pre { background: var(--box); border-radius: 4px; margin: 0.25rem 0; overflow-x: auto; padding: 0.75rem }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.5rem 1rem }
dt { font-weight: 600 }
dd { margin: 0 }
dd p, dd ul { margin: 0 }
@media (min-width: 60rem) {
  nav { columns: 2 }
}
`
