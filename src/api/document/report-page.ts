import { reportKind, reportTextCharsMax } from '#api/contract/admin/report-rows.ts'
import { escapeHtml } from '#http/escape-html.ts'

const kinds: Readonly<Record<(typeof reportKind.options)[number], string>> = {
  phishing: 'It asks for passwords or money under a false name',
  malware: 'It spreads harmful software',
  copyright: 'It shows work of mine without permission',
  illegal: 'It is illegal otherwise',
  other: 'Something else',
}

/** What a visitor has filled in so far. */
export interface ReportDraft {
  readonly url?: string | undefined
  readonly text?: string | undefined
  readonly contact?: string | undefined
}

/** The form by which visitors report a site; works without scripts. `problem`: what to mend first. */
export function reportPage(draft: ReportDraft, problem: string | null): string {
  const options = reportKind.options.map(
    (kind) => `<option value="${kind}">${kinds[kind]}</option>`,
  )
  return page(`${problem === null ? '' : `<p role="alert">${escapeHtml(problem)}</p>\n`}<form method="post" action="/report">
<p><label for="url">Address of the page</label>
<input id="url" name="url" type="url" required maxlength="2000" value="${escapeHtml(draft.url ?? '')}"></p>
<p><label for="kind">What is wrong</label>
<select id="kind" name="kind">${options.join('')}</select></p>
<p><label for="text">Tell us more</label>
<textarea id="text" name="text" required maxlength="${reportTextCharsMax}" rows="6" cols="40">${escapeHtml(draft.text ?? '')}</textarea></p>
<p><label for="contact">How to reach you, if you like</label>
<input id="contact" name="contact" maxlength="200" value="${escapeHtml(draft.contact ?? '')}"></p>
<p><button>Send the report</button></p>
</form>`)
}

export const reportSentPage = (): string =>
  page('<p role="status">Thank you. The operator of this service will read your report.</p>')

/** For a person whose report was not accepted. */
export function reportFailedPage(status: number, sentence: string): string {
  const next = nextAfter(status)
  return page(`<p role="alert">Your report was not sent. ${escapeHtml(sentence)}</p>
<p>${next}</p>
<p><a href="/report">Write another report</a></p>`)
}

function nextAfter(status: number): string {
  switch (status) {
    case 403:
      return 'Your browser says that a page of another site has sent it: write it here.'
    case 413:
      return `Go back to your report, and shorten it to at most ${reportTextCharsMax} characters.`
    default:
      return 'Go back to your report to send it again then: what you have written is still there.'
  }
}

const page = (body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Report a site</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/api/docs.css">
<body class="narrow">
<header><a href="/">Start page</a></header>
<main>
<h1>Report a site</h1>
${body}
</main>
</html>
`
