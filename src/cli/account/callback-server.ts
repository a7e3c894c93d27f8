import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callbackPath } from '#atproto/oauth/oauth-client.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { startListening } from '#inbound/listen-tcp.ts'
import { codeOf } from '#observe/code-of.ts'
import { type PageFigure, pageHtml } from '#site/own-pages/page-html.ts'
import { pageStylePolicy } from '#site/own-pages/page-style.ts'

interface CallbackServer extends AsyncDisposable {
  readonly origin: string
  /** What `complete` makes of the query that a browser arrives with; its result decides which page the browser gets. */
  receive<T>(complete: Complete<T>, signal: AbortSignal): Promise<T>
}

interface Complete<T> {
  readonly complete: (query: URLSearchParams) => Promise<T>
  /** The query belongs to another sign-in; this one keeps waiting. Any page and program of this machine can send one. */
  readonly isForeign: (error: unknown) => boolean
}

/** Where a browser of this machine comes back to (RFC 8252 §7.3). Another port if this one is taken; 0: any. */
export async function listenForCallback(port: number): Promise<CallbackServer> {
  let answer = (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(404, headers).end()
  }
  const server = createServer((request, response) => answer(request, response))
  const listen = (at: number) => startListening(server, { host: '127.0.0.1', port: at })
  await listen(port).catch((error) => {
    if (codeOf(error) !== 'EADDRINUSE' && codeOf(error) !== 'EACCES') throw error
    return listen(0)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    async receive<T>({ complete, isForeign }: Complete<T>, signal: AbortSignal) {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      answer = (request, response) => {
        const target = request.url ?? ''
        const url = URL.canParse(target, origin) ? new URL(target, origin) : null
        if (
          request.method !== 'GET' ||
          url?.pathname !== callbackPath ||
          !url.searchParams.has('state')
        ) {
          response.writeHead(404, headers).end()
          return
        }
        complete(url.searchParams).then(
          (result) => response.writeHead(200, headers).end(signedInPage, () => resolve(result)),
          (error) =>
            response.writeHead(400, headers).end(failedPage, () => {
              if (!isForeign(error)) reject(error)
            }),
        )
      }
      return await orAborted(promise, signal)
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${pageStylePolicy}`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // The address has a code.
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

const page = (figure: PageFigure, title: string, text: string): string =>
  pageHtml({ title, body: `<p>${text}</p>`, figure, code: null }, '')

const signedInPage = page(
  'done',
  'Signed in',
  'You are signed in. Go back to the terminal; this page can be closed.',
)

const failedPage = page(
  'closed',
  'Not signed in',
  'You are not signed in. The terminal says why; this page can be closed.',
)
