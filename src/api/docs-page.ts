import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { type Section, sectionsOf } from './contract/sections.ts'
import { routeArticle } from './docs-route.ts'

type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The contract as a page: no scripts, nothing from elsewhere, so that it works under the strictest policy. */
export async function docsPage(origin: string): Promise<string> {
  const sections = sectionsOf()
  const page = html`${raw('<!doctype html>')}
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>The HTTP interface of Sitehost</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/api/docs.css">
  </head>
  <body>
    <a class="skip" href="#main">To the routes</a>
    <header>
      <h1>The HTTP interface of Sitehost</h1>
      ${introduction}
    </header>
    <nav aria-label="Routes">${sections.map(contentsOf)}</nav>
    <main id="main">${sections.map((section) => sectionOf(section, origin))}</main>
  </body>
</html>
`
  return String(await page)
}

const introduction: Html = html`
<p>Bodies are JSON unless it says otherwise. Fields that are not named here are ignored in requests. The same, for
  programs: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
<p>A session is the cookie <code>did</code>, which signing in sets. A program that sends it needs no other; browsers send
  <code>sid</code> too. In the examples <code>cookies.txt</code> is a file with one line, <code>Set-Cookie: did=…</code>, and the
  value that the cookie has in a signed-in browser. A request that changes something and comes from a page of another origin is refused.</p>
<p>429 and 503 say in <code>Retry-After</code> when to try again. An error that nobody foresaw is 500
  <code>{ "error": "Internal error", "id": "…" }</code>; the log has the rest under that id.</p>
`

const contentsOf = ({ id, title, routes }: Section): Html => html`
<h2><a href="#${id}">${title}</a></h2>
<ul>${routes.map(
  ({ name, method, path }) =>
    html`<li><a href="#${name}"><span class="method">${method}</span> ${path}</a></li>`,
)}</ul>
`

const sectionOf = ({ id, title, routes }: Section, origin: string): Html => html`
<section aria-labelledby="${id}">
  <h2 id="${id}">${title}</h2>
  ${routes.map((route) => routeArticle(route, origin))}
</section>
`
