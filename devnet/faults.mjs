import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/**
 * What goes wrong with the calls of one XRPC method; without `after` and `times`, with each of them.
 *
 * @typedef {{
 *   hold?: boolean        waits until this says otherwise, then goes on
 *   status?: number       is refused with this status
 *   reset?: boolean       loses its connection
 *   loseAnswer?: boolean  is carried out, then loses its connection
 *   bytesMax?: number     is refused as too large when its body is larger
 *   ignoreSwap?: boolean  is carried out whatever the repository's head or the record is
 *   after?: number        so many calls are left alone first
 *   times?: number        no more calls than these are concerned
 * }} Fault
 */

const lookAgainMs = 20

/**
 * Lets the file `faults.json` say what goes wrong, read at each call: `{"com.atproto.repo.uploadBlob":
 * {"status":503,"times":3}}`. A change of the file counts the calls from zero.
 *
 * @param {import('node:http').Server} server listening
 */
export function injectFaults(server, /** @type {string} */ file) {
  const answer = server.listeners('request')
  const faults = new Faults(file)
  server.removeAllListeners('request')
  server.on('request', async (request, response) => {
    const method = /^\/xrpc\/([\w.]+)/.exec(request.url ?? '')?.[1] ?? ''
    const fault = faults.next(method, Number(request.headers['content-length'] ?? 0))
    if (fault.ignoreSwap) renameSwaps(request)
    while (fault.hold && faults.of(method).hold) await setTimeout(lookAgainMs)
    if (fault.loseAnswer) response.end = () => request.socket.destroy()
    if (fault.reset) request.socket.destroy()
    else if (fault.status) refuse(request, response, fault.status)
    else for (const listener of answer) listener.call(server, request, response)
  })
}

/** In the body, as it arrives: fields of the same length that no server knows. */
function renameSwaps(request) {
  const push = request.push.bind(request)
  request.push = (chunk, encoding) =>
    push(
      chunk &&
        Buffer.from(
          chunk.toString('latin1').replace(/"swap(?=(Commit|Record)")/g, '"skip'),
          'latin1',
        ),
      encoding,
    )
}

function refuse(request, response, status) {
  request.resume()
  const error = status === 413 ? 'PayloadTooLarge' : 'InjectedFault'
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error, message: `fault ${status}` }))
}

class Faults {
  #text = ''
  #calls = new Map()

  constructor(/** @type {string} */ file) {
    this.file = file
  }

  /** @returns {Fault} what concerns every call of this method */
  of(method) {
    const text = readText(this.file)
    if (text !== this.#text) this.#calls.clear()
    this.#text = text
    return JSON.parse(text)[method] ?? {}
  }

  /** @returns {Fault} what concerns this call, which is counted */
  next(method, bytes) {
    const { after = 0, times = Number.POSITIVE_INFINITY, bytesMax, ...fault } = this.of(method)
    const calls = this.#calls.get(method) ?? 0
    this.#calls.set(method, calls + 1)
    if (calls < after || calls >= after + times) return {}
    if (bytesMax === undefined) return fault
    return bytes > bytesMax ? { status: 413 } : {}
  }
}

function readText(/** @type {string} */ file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return '{}'
    throw error
  }
}
