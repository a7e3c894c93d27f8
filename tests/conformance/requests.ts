import { type RawResponse, rawRequest } from '#tests/support/visitors/raw-http.ts'
import { freshAddress } from './roaming-client.ts'
import type { Stage } from './stage.ts'

/** Status and body, JSON read. */
export type Answer = readonly [status: number, body: unknown]

/** Sent as it is written here, header lines too, as curl would: no browser and no client adds anything. */
export async function send(
  stage: Stage,
  method: string,
  path: string,
  lines: readonly string[] = [],
  body = '',
): Promise<RawResponse> {
  const { host, port } = new URL(stage.world.app)
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...[`Host: ${host}`, 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`],
    ...[`X-Forwarded-For: ${freshAddress()}`, ...lines],
  ]
  return await rawRequest(Number(port), `${head.join('\r\n')}\r\n\r\n${body}`)
}

export async function answerTo(...request: Parameters<typeof send>): Promise<Answer> {
  const { status, body } = await send(...request)
  return [status, jsonOr(body.toString())]
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
