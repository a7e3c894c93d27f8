import { startProgram } from '#tests/support/servers/start-program.ts'
import { ownPort } from '../processes/own-port.ts'
import type { InPage, Tab } from './tab.ts'

export const webkitPrograms = ['Xvfb', 'WebKitWebDriver'] as const

/** WebKitGTK’s own browser, which belongs to its driver. Each version of its interface has a folder of its own. */
export const miniBrowserPath = (): string | null =>
  [...new Bun.Glob('usr/lib/*/webkit*gtk-*/MiniBrowser').scanSync({ cwd: '/', absolute: true })]
    .toSorted()
    .at(-1) ?? null

/** A function that runs in the page, or its source. */
type Source = InPage<never[], unknown> | string

/** The key under which a reference to an element is sent (WebDriver §12.2). */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

/** WebKitGTK by classic WebDriver, on a display of its own. */
export async function openWebkitTab(): Promise<Tab> {
  await using started = new AsyncDisposableStack()
  const display = started.use(await startDisplay())
  const port = await ownPort()
  const origin = `http://127.0.0.1:${port}`
  started.use(
    await startProgram(
      ['WebKitWebDriver', `--port=${port}`],
      async () => await fetch(`${origin}/status`),
      { DISPLAY: display.name },
    ),
  )
  const binary = miniBrowserPath()
  const options = { binary, args: ['--automation'] }
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
  const { sessionId } = await command<Session>(`${origin}/session`, 'POST', { capabilities })
  const session = `${origin}/session/${sessionId}`
  started.defer(async () => void (await command(session, 'DELETE')))
  const post = <Value>(path: string, body: object = {}) =>
    command<Value>(`${session}/${path}`, 'POST', body)
  await post('window/rect', { width: 1280, height: 938 })
  const call = <Value>(work: Source, args: readonly unknown[]) =>
    post<Outcome<Value>>('execute/async', { script: scriptOf(work), args }).then(resultOf)
  const find = async (work: InPage<never[], unknown>, args: readonly unknown[]) => {
    const element = await call<Record<string, string> | null>(work, args)
    if (element === null) throw new Error(`not found: ${JSON.stringify(args)}`)
    return `element/${element[elementKey]}`
  }
  const everything = started.move()
  return {
    goto: async (url) => void (await post('url', { url })),
    run: async (work, ...args) => await call(work as never, args),
    // Not by the driver's own click, which takes links in clamped boxes (`-webkit-line-clamp`) for hidden.
    click: async (work, ...args) => {
      const [x, y] = await call<[number, number]>(placeOf(work as never), args)
      await post('actions', { actions: [pressAt(x, y)] })
    },
    type: async (text, work, ...args) => {
      const field = await find(work as never, args)
      await post(`${field}/clear`)
      await post(`${field}/value`, { text })
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

/** A screen in memory. */
async function startDisplay() {
  const screen = ['-screen', '0', '1400x1000x24', '-nolisten', 'tcp']
  const server = Bun.spawn(['Xvfb', '-displayfd', '1', ...screen], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const { value } = await server.stdout.getReader().read()
  if (value === undefined) throw new Error(`Xvfb ended with ${await server.exited}`)
  return {
    name: `:${new TextDecoder().decode(value).trim()}`,
    async [Symbol.asyncDispose]() {
      server.kill()
      await server.exited
    },
  }
}

/** In the page: the middle of the element that `find` returns. */
const placeOf = (find: InPage<never[], unknown>): string => `async (...args) => {
  const element = await (${find})(...args)
  if (element === null) throw new Error('not found: ' + JSON.stringify(args))
  element.scrollIntoView({ block: 'center', behavior: 'instant' })
  const { x, y, width, height } = element.getBoundingClientRect()
  return [Math.round(x + width / 2), Math.round(y + height / 2)]
}`

const pressAt = (x: number, y: number) => ({
  type: 'pointer',
  id: 'mouse',
  parameters: { pointerType: 'mouse' },
  actions: [
    { type: 'pointerMove', duration: 0, origin: 'viewport', x, y },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ],
})

interface Session {
  readonly sessionId: string
}

interface Outcome<Value> {
  readonly value?: Value
  readonly error?: string
}

/** Classic WebDriver has no promise as a result, and loses what was thrown. */
const scriptOf = (work: Source): string => `
  const [...args] = arguments
  const done = args.pop()
  new Promise((resolve) => resolve((${work})(...args))).then(
    (value) => done({ value }),
    (error) => done({ error: String(error) }),
  )`

function resultOf<Value>({ value, error }: Outcome<Value>): Value {
  if (error !== undefined) throw new Error(error)
  return value as Value
}

async function command<Value>(
  url: string,
  method: 'GET' | 'POST' | 'DELETE' = 'GET',
  body?: object,
): Promise<Value> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value } = (await answer.json()) as { value: Value }
  if (!answer.ok) throw new Error(`${method} ${new URL(url).pathname}: ${JSON.stringify(value)}`)
  return value
}
