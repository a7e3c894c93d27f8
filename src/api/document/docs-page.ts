import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { openApiDocument } from './openapi.ts'
import type { Operation } from './openapi-operation.ts'

type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The OpenAPI document as one static page: no script and no third-party resources, as our content security policy asks. */
export async function docsPage(document: ReturnType<typeof openApiDocument>): Promise<string> {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: html`<span class="method">${method.toUpperCase()}</span> <code>${path}</code>`,
      operation,
    })),
  )
  const page = html`${raw('<!doctype html>')}
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>The HTTP API of Sitehost</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/api/docs.css">
  </head>
  <body>
    <h1>The HTTP API of Sitehost</h1>
    <p>${prose(document.info.description)} For programs: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
    <nav aria-label="Routes"><ul>${entries.map(
      ({ name, operation }) => html`<li><a href="#${operation.operationId}">${name}</a></li>`,
    )}</ul></nav>
    <main>${entries.map(({ name, operation }) => articleOf(name, operation))}</main>
  </body>
</html>
`
  return String(await page)
}

function articleOf(name: Html, operation: Operation): Html {
  const { description, operationId, parameters, requestBody, responses, summary } = operation
  const access = operation.security === undefined ? 'Public.' : 'Needs a session.'
  const details = JSON.stringify({ parameters, requestBody, responses }, null, 2)
  return html`
<article aria-labelledby="${operationId}">
  <h2 id="${operationId}">${name}</h2>
  <p>${prose([`${summary}.`, description, access].filter(Boolean).join(' '))}</p>
  <pre tabindex="0" role="region" aria-label="What ${operationId} takes and answers"><code>${details.replaceAll('`', '')}</code></pre>
</article>`
}

/** Marks text between backticks as code. */
const prose = (text: string): Html[] =>
  text.split('`').map((piece, n) => (n % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`))

/** Of this page and of the form for reports. Fetches no fonts or pictures. */
export const docsStyle = `
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif }
code, pre, .method { font-family: ui-monospace, monospace; font-size: 0.9em }
.method { font-weight: 600 }
h2 { overflow-wrap: anywhere }
form { max-width: 36rem }
input, select, textarea, button { box-sizing: border-box; min-height: 2.75rem; padding: 0.5rem 0.75rem; border-radius: 6px; font: inherit }
input, select, textarea { width: 100%; border: 1px solid GrayText; background: Field; color: FieldText }
button { padding-inline: 1.25rem; border: 0; background: light-dark(#0b6b5d, #63d0b8); color: light-dark(#fff, #0f1413); font-weight: 600 }
[role='alert'] { color: light-dark(#b3261e, #ff8a80) }
pre { border: 1px solid; max-height: 30rem; overflow: auto; padding: 0.75rem }
`
