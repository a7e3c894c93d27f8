import { createHash } from 'node:crypto'
import { pageTokens } from './page-tokens.ts'

/** The style of our own pages at sites' hosts, and of the one that ends a sign-in from a terminal. */
export const pageStyle = `${pageTokens}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main,footer{width:calc(100% - 2.5rem);max-width:40rem;margin:0 auto;padding:18vh 0 4rem}
main{flex:1}
.wide>*{max-width:62rem}
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
td a{display:block;padding:.625rem .5rem .625rem 0;text-decoration:none}
th:first-child{padding-left:0}
footer{padding-block:1.25rem;border-top:1px solid var(--line);font-size:.8125rem}
footer a{color:inherit}
@media(max-width:30rem){:is(th,td):nth-child(3){display:none}}`

const styleHash = createHash('sha256').update(pageStyle).digest('base64')

/** What a content security policy says to allow exactly this style. */
export const pageStylePolicy = `'sha256-${styleHash}'`
