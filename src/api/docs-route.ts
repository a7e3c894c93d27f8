import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { z } from 'zod'
import type { Answer } from './contract/answers.ts'
import type { Message } from './contract/messages.ts'
import type { Access, Route, RouteBody } from './contract/route.ts'
import type { NamedRoute } from './contract/sections.ts'
import { statusMeaning } from './contract/status-meaning.ts'
import { curlExample } from './curl-example.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { shapeOf } from './schema-shape.ts'

type Html = HtmlEscapedString | Promise<HtmlEscapedString> | ''

/** All there is to know of a route, for who wants to call it. */
export function routeArticle(route: NamedRoute, origin: string): Html {
  const { access, answers, body, details, failures = {}, method, name, path, summary } = route
  const answered = [
    ...Object.entries(answers).map(([status, answer]) => ({ status, text: answerOf(answer) })),
    ...Object.entries(failures).map(([status, messages]) => ({
      ...{ status, text: failureOf(Number(status), messages) },
    })),
  ].toSorted((a, b) => Number(a.status) - Number(b.status))
  return html`
<article aria-labelledby="${name}">
  <h3 id="${name}"><span class="method">${method}</span> <code>${path}</code></h3>
  <p>${prose([`${summary}.`, details, callers[access]].filter(Boolean).join(' '))}</p>
  ${parametersOf(route)}
  ${body === undefined ? '' : bodyOf(body)}
  <h4>Answers</h4>
  <dl>${answered.map(({ status, text }) => html`<dt>${status}</dt><dd>${text}</dd>`)}</dl>
  <h4>Example</h4>
  ${code(curlExample(route, origin), `Example of ${method} ${path}`)}
</article>
`
}

const callers: Record<Access, string> = {
  public: 'Open to all.',
  'signed-in': 'For who is signed in.',
  admin: 'For administrators.',
}

function parametersOf({ params = {}, query = {} }: Route): Html {
  const rows = [
    ...Object.entries(params).map(([name, schema]) => rowOf(name, 'in the path', schema)),
    ...Object.entries(query).map(([name, schema]) => rowOf(name, 'in the query', schema)),
  ]
  if (rows.length === 0) return ''
  return html`
<h4>Parameters</h4>
<table>
  <thead><tr><th scope="col">Name</th><th scope="col">Where</th><th scope="col">What</th></tr></thead>
  <tbody>${rows}</tbody>
</table>
`
}

function rowOf(name: string, place: string, schema: z.ZodType): Html {
  const { description, type } = jsonSchemaOf(schema, 'input')
  return html`<tr><th scope="row"><code>${name}</code></th><td>${place}</td><td>${prose(
    description ?? [type].flat().join(' or '),
  )}</td></tr>`
}

function bodyOf({ kind, schema }: RouteBody): Html {
  const title = kind === 'unread-form' ? 'Form (multipart/form-data)' : 'Body'
  return html`<h4>${title}</h4>${code(shapeOf(jsonSchemaOf(schema, 'input')), title)}`
}

function answerOf(answer: Answer): Html {
  const when = html`<p>${prose(answer.when)}</p>`
  switch (answer.kind) {
    case 'json':
    case 'file':
      return html`${when}${code(shapeOf(jsonSchemaOf(answer.schema, 'output')), answer.when)}`
    case 'text':
      return html`${when}${code(answer.text, answer.when)}`
    case 'redirect':
      return html`${when}<ul>${answer.locations.map((place) => html`<li><code>${place}</code></li>`)}</ul>`
    case 'events':
      return html`${when}${Object.entries(answer.events).map(
        ([event, schema]) =>
          html`<p>Event <code>${event}</code></p>${code(shapeOf(jsonSchemaOf(schema, 'output')), `Event ${event}`)}`,
      )}`
    case 'document':
      return html`<p>${answer.when}, <code>${answer.mediaType}</code></p>`
  }
}

function failureOf(status: number, messages: readonly Message[]): Html {
  return html`<p>${statusMeaning(status)}</p><ul>${messages.map((message) =>
    typeof message === 'string'
      ? html`<li>${message}</li>`
      : html`<li>such as: ${message.like}</li>`,
  )}</ul>`
}

/** What stands between backticks is code. */
const prose = (text: string): Html[] =>
  text.split('`').map((piece, n) => (n % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`))

/** It scrolls where it is wider than the page, so it can be reached and has a name. */
const code = (text: string, label: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label.replaceAll('`', '')}"><code>${text}</code></pre>`
