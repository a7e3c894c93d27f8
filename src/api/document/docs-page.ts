import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { JsonSchema } from './json-schema.ts'
import type { openApiDocument } from './openapi.ts'
import { shapeOf } from './schema-shape.ts'

type Html = HtmlEscapedString | Promise<HtmlEscapedString> | ''

/** What `operationOf` gives an operation, as far as the page shows it. */
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security?: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly schema: JsonSchema
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

interface Answer {
  readonly $ref?: string
  readonly description?: string
  readonly headers?: Readonly<Record<string, { readonly schema: JsonSchema }>>
  readonly content?: Content
}

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The OpenAPI document as one page: no script and nothing from elsewhere, so that it works under the strictest policy. */
export async function docsPage(document: ReturnType<typeof openApiDocument>): Promise<string> {
  const entries = entriesOf(document)
  const sections = document.tags.map(({ name }, n) => {
    const inSection = entries.filter(({ operation }) => operation.tags.includes(name))
    return { id: `section-${n}`, name, entries: inSection }
  })
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
    <a class="skip" href="#main">Skip to the routes</a>
    <header>
      <h1>The HTTP API of Sitehost</h1>
      <p>${prose(document.info.description)} For programs: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
    </header>
    <nav aria-label="Routes">${sections.map(
      (section) => html`
      <h2><a href="#${section.id}">${section.name}</a></h2>
      <ul>${section.entries.map(
        ({ method, path, operation }) =>
          html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>`,
      )}</ul>`,
    )}</nav>
    <main id="main">${sections.map(
      (section) => html`
      <section aria-labelledby="${section.id}">
        <h2 id="${section.id}">${section.name}</h2>
        ${section.entries.map(articleOf)}
      </section>`,
    )}</main>
  </body>
</html>
`
  return String(await page)
}

const entriesOf = ({ paths }: ReturnType<typeof openApiDocument>): Entry[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as Operation,
    })),
  )

function articleOf({ method, path, operation }: Entry): Html {
  const { description, operationId, parameters = [], requestBody, responses, summary } = operation
  const access = operation.security === undefined ? 'Public.' : 'Needs a session.'
  return html`
<article aria-labelledby="${operationId}">
  <h3 id="${operationId}"><span class="method">${method}</span> <code>${path}</code></h3>
  <p>${prose([`${summary}.`, description, access].filter(Boolean).join(' '))}</p>
  ${parameters.length > 0 && html`<h4>Parameters</h4><dl>${parameters.map(parameterOf)}</dl>`}
  ${requestBody && html`<h4>Body</h4>${contentOf(requestBody.content)}`}
  <h4>Answers</h4>
  <dl>${Object.entries(responses).map(([status, answer]) => html`<dt>${status}</dt><dd>${answerOf(answer)}</dd>`)}</dl>
</article>
`
}

const parameterOf = ({ description, in: place, name, schema }: Parameter): Html =>
  html`<dt><code>${name}</code></dt><dd>${prose(`${description ?? shapeOf(schema)} (${place})`)}</dd>`

function answerOf({ content = {}, description, headers = {} }: Answer): Html {
  if (description === undefined)
    return html`Internal error, with an <code>id</code> that is in the log too`
  const fields = Object.entries(headers).map(
    ([name, { schema }]) =>
      html`<p><code>${name}</code>${schema.examples && `: such as ${schema.examples.join(', ')}`}</p>`,
  )
  return html`<p>${prose(description)}</p>${fields}${contentOf(content)}`
}

const contentOf = (content: Content): Html[] =>
  Object.entries(content).flatMap(([mediaType, { schema }]) => {
    const events = Object.entries((schema['x-events'] ?? {}) as Record<string, JsonSchema>)
    return events.length === 0
      ? [shapeBox(mediaType, schema)]
      : events.map(([name, inner]) => shapeBox(`Event ${name}`, inner))
  })

/** It scrolls where it is wider than the page, so it can take the focus and has a name. */
const shapeBox = (label: string, schema: JsonSchema): Html =>
  html`<p>${label}</p><pre tabindex="0" role="region" aria-label="${label}"><code>${shapeOf(schema)}</code></pre>`

/** Text between backticks is code. */
const prose = (text: string): Html[] =>
  text.split('`').map((piece, n) => (n % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`))
