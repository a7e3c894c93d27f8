// `visit-times.ts <url>`: what a visitor waits who loads a page again and again. A program of its own, so that nothing
// that a test does meanwhile is in its way. For each line, a number of seconds, it prints milliseconds, in their
// order, as a line of JSON.
const pauseMs = 5

/** A visitor of one page, who waits to be told. */
export interface Visitor extends Disposable {
  readonly pid: number
  /** How many milliseconds each visit of so many seconds took, the shortest first. */
  visit(seconds: number): Promise<readonly number[]>
}

export function startVisitor(page: URL): Visitor {
  const child = Bun.spawn([process.execPath, import.meta.path, page.href], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const said = child.stdout.getReader()
  return {
    pid: child.pid,
    async visit(seconds) {
      child.stdin.write(`${seconds}\n`)
      await child.stdin.flush()
      return (JSON.parse(await lineOf(said)) as number[]).toSorted((a, b) => a - b)
    },
    [Symbol.dispose]: () => child.kill(),
  }
}

/** The next one; whoever writes it writes no more before he is asked again. */
async function lineOf(said: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  for (let line = ''; ; ) {
    const { done, value } = await said.read()
    if (done) throw new Error('the visitor failed')
    line += decoder.decode(value, { stream: true })
    if (line.endsWith('\n')) return line
  }
}

async function visitFor(page: string, seconds: number): Promise<number[]> {
  const until = performance.now() + seconds * 1000
  const times: number[] = []
  while (performance.now() < until) {
    const began = performance.now()
    const answer = await fetch(page)
    await answer.bytes()
    if (answer.status !== 200) throw new Error(`the page is ${answer.status}`)
    times.push(performance.now() - began)
    await Bun.sleep(pauseMs)
  }
  return times
}

if (import.meta.main) {
  const [, , page = ''] = process.argv
  for await (const seconds of console) {
    process.stdout.write(`${JSON.stringify(await visitFor(page, Number(seconds)))}\n`)
  }
}
