import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { fontPaths } from '#site/own-pages/page-tokens.ts'
import type { openApiDocument } from './openapi.ts'
import type { Operation } from './openapi-operation.ts'
import { type JsonSchema, notesOf, schemaText } from './schema-text.ts'

type Html = HtmlEscapedString | Promise<HtmlEscapedString>

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The OpenAPI document as one static page: no script and no third-party resources, as our content security policy asks. */
export async function docsPage(document: ReturnType<typeof openApiDocument>): Promise<string> {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), path, operation },
    })),
  )
  const sections = document.tags.map(({ name }) => ({
    name,
    id: `section-${name.toLowerCase().replace(/\W+/g, '-')}`,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const page = html`${raw('<!doctype html>')}
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>The HTTP API of Sitehost</title>
    <link rel="icon" href="/favicon.ico">
    <link rel="preload" as="font" type="font/woff2" href="${fontPaths.text}" crossorigin>
    <link rel="stylesheet" href="/api/docs.css">
  </head>
  <body class="docs">
    <header><a href="/">Sitehost</a> <a href="/api/openapi.json">OpenAPI 3.1</a></header>
    <nav aria-label="Routes">${sections.map(
      ({ entries, id, name }) => html`
      <p><a href="#${id}">${name}</a></p>
      <ul>${entries.map(
        (entry) => html`<li><a href="#${entry.operation.operationId}">${nameOf(entry)}</a></li>`,
      )}</ul>`,
    )}
    </nav>
    <main>
      <h1>The HTTP API of Sitehost</h1>
      <p>${prose(document.info.description)} Any route may also answer 500 with an <code>id</code> that the log has, too.</p>
      ${sections.map(
        ({ entries, id, name }) => html`
      <section aria-labelledby="${id}">
        <h2 id="${id}">${name}</h2>${entries.map(articleOf)}
      </section>`,
      )}
    </main>
  </body>
</html>
`
  return String(await page)
}

const nameOf = ({ method, path }: Entry): Html =>
  html`<span class="method">${method}</span> <code>${path}</code>`

function articleOf(entry: Entry): Html {
  const {
    description,
    operationId,
    parameters = [],
    requestBody,
    security,
    summary,
  } = entry.operation
  const access = accessText(security)
  return html`
<article aria-labelledby="${operationId}">
  <h3 id="${operationId}">${nameOf(entry)}</h3>
  <p>${prose([`${summary}.`, description].filter(Boolean).join(' '))} <span class="access">${access}.</span></p>
  ${
    parameters.length === 0
      ? ''
      : html`<h4>Parameters</h4>
  <dl>${parameters.map(
    ({ description, in: place, name, required, schema }) => html`
    <dt><code>${name}</code> <small>${place}${required ? '' : ', optional'}</small></dt>
    <dd><code>${schemaText(schema as JsonSchema)}</code> ${prose([description, notesOf(schema as JsonSchema)].filter(Boolean).join('; '))}</dd>`,
  )}</dl>`
  }${requestBody === undefined ? '' : html`<h4>Body</h4>${contentsOf(requestBody.content)}`}
  <h4>Answers</h4>
  <dl>${answersOf(entry.operation).map(
    ([status, { content = {}, description, headers = {} }]) => html`
    <dt><code>${status}</code></dt>
    <dd>${prose(description)}${Object.entries(headers).map(
      ([name, { schema }]) => html` <code>${name}</code>${examplesIn(schema)}`,
    )}${contentsOf(content)}</dd>`,
  )}</dl>
</article>`
}

const accessText = (security: Operation['security']): string => {
  if (security === undefined) return 'Public'
  const isAdministrators = security.some((each) => 'administrator' in each)
  if (isAdministrators) return 'Needs an administrator’s session'
  const takesTokens = security.some((each) => 'deployToken' in each)
  if (takesTokens) return 'Needs a session or a deploy token'
  const takesServiceTokens = security.some((each) => 'serviceToken' in each)
  return takesServiceTokens ? 'Needs a session or a service token' : 'Needs a session'
}

interface Described {
  readonly description: string
  readonly content?: Contents
  readonly headers?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

type Contents = Readonly<Record<string, { readonly schema?: unknown }>>

/** Without the one that every route may give. */
const answersOf = ({ responses }: Operation) =>
  Object.entries(responses as Readonly<Record<string, Described>>).filter(
    ([, response]) => !('$ref' in response),
  )

const contentsOf = (contents: Contents): Html[] =>
  Object.entries(contents).map(([mediaType, { schema = {} }]) => {
    const described = schema as JsonSchema
    const events = described['x-events'] as Readonly<Record<string, JsonSchema>> | undefined
    const texts =
      events === undefined
        ? [schemaText(described)]
        : Object.entries(events).map(([event, data]) => `${event}: ${schemaText(data)}`)
    const { error } = described.properties ?? {}
    return html`
    <p class="type">${mediaType}</p>
    <pre><code>${texts.join('\n').replaceAll('`', '')}</code></pre>${error === undefined ? '' : examplesIn(error)}`
  })

/** Messages and places, one a line. */
function examplesIn({ examples, enum: all }: JsonSchema): Html | string {
  const texts = (examples ?? all ?? []) as readonly unknown[]
  if (texts.length === 0) return ''
  return html`<ul class="examples">${texts.map((text) => html`<li>${String(text)}</li>`)}</ul>`
}

/** Marks text between backticks as code. */
const prose = (text: string): Html[] =>
  text.split('`').map((piece, n) => (n % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`))
