// `latency.ts <port> <host>`: opens connections, prints `open`, and for each line that it reads asks for pages over them at a steady rate
// and prints how long the 99th of 100 took, in ms.
import { connect, type TLSSocket } from 'node:tls'

const [port = '', host = ''] = process.argv.slice(2)
const connections = 20
const requests = 800
const everyMs = 5
const head = `GET / HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: gzip\r\n\r\n`

function open(): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const to = { host: '127.0.0.1', port: Number(port), servername: host, rejectUnauthorized: false }
  const socket = connect(to, () => resolve(socket))
  socket.once('error', reject)
  return promise
}

/** A request whose connection still waits for the answer before waits too, and that counts. */
async function p99(sockets: readonly TLSSocket[]): Promise<number> {
  const took: number[] = []
  const ends = sockets.map(() => Promise.resolve())
  const begun = performance.now()
  for (let i = 0; i < requests; i++) {
    // By the clock: the rate is the same however busy the machine is.
    await Bun.sleep(Math.max(0, begun + i * everyMs - performance.now()))
    const started = performance.now()
    const connection = i % sockets.length
    ends[connection] = Promise.resolve(ends[connection])
      .then(() => ask(sockets[connection] as TLSSocket))
      .then(() => void took.push(performance.now() - started))
  }
  await Promise.all(ends)
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN
}

async function ask(socket: TLSSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let left = Number.NaN
  const read = (chunk: Buffer): void => {
    if (Number.isNaN(left)) {
      const end = chunk.indexOf('\r\n\r\n')
      const length = /content-length: (\d+)/i.exec(chunk.toString('latin1', 0, end))?.[1]
      left = end + 4 + Number(length)
    }
    left -= chunk.length
    if (left <= 0) resolve()
  }
  socket.on('data', read)
  socket.on('error', reject)
  socket.write(head)
  await promise
  socket.off('data', read)
  socket.off('error', reject)
}

const sockets = await Promise.all(Array.from({ length: connections }, open))
process.stdout.write('open\n')
for await (const _ of console) process.stdout.write(`${await p99(sockets)}\n`)
