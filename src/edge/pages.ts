/** Pages of our own on hosts of sites: small, readable in light and dark, without script. */
export function notFoundPage(): Response {
  return page(404, 'Not found', 'There is nothing at this address.')
}

/** The bytes are not here; they are being fetched. */
export function fetchingPage(): Response {
  const text = 'This page is being fetched from its owner’s server. Try again in a moment.'
  return page(503, 'Not here yet', text, { 'retry-after': '2' })
}

/** Something of ours failed: the bytes may be here, or not. */
export function unavailablePage(): Response {
  const text = 'This page cannot be shown right now. Try again in a moment.'
  return page(503, 'Not available', text, { 'retry-after': '2' })
}

export function plainPage(
  status: number,
  title: string,
  headers: Record<string, string> = {},
): Response {
  return page(status, title, 'This request cannot be answered.', headers)
}

function page(
  status: number,
  title: string,
  text: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(htmlOf(title, text), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      ...headers,
    },
  })
}

// `title` and `text` are ours; nothing of a request or a site is ever put into these pages.
function htmlOf(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 20vh auto; padding: 0 1rem }
</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</html>
`
}
