import type {
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js'
import { z } from 'zod'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { FolderError } from '#cli/folder/folder-error.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { Semaphore, SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { version } from '#package.json'
import type { Tool } from './tool.ts'
import { ToolConsole } from './tool-console.ts'
import { tools } from './tools.ts'

const messageBytesMax = 1024 * 1024
const callsWaitingMax = 20
/** A person reads the question, and may look at the site before. */
const answerMsMax = 10 * 60_000

const instructions =
  'Publishes static websites straight to the AT Protocol account that is signed in on this machine ("sitehost login"). Ask the person before you pass "confirm".'

type Sdk = typeof import('./sdk.ts')
type Server = InstanceType<Sdk['Server']>

/** Offers tools to a program on standard input and output until it goes. https://modelcontextprotocol.io */
export async function serveMcp(account: AccountOptions, context: CommandContext): Promise<void> {
  const { CallToolRequestSchema, ListToolsRequestSchema, Server, StdioServerTransport } =
    await import('./sdk.ts')
  const server = new Server(
    { name: 'sitehost', title: 'Sitehost', version },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator: unchecked },
  )
  // One after the other: two deploys of a site would be in each other's way.
  const calls = new Semaphore({ max: 1, waitingMax: callsWaitingMax })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(declared) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const signal = AbortSignal.any([context.signal, extra.signal])
    const call = () =>
      answer(params.name, params.arguments, server, account, { ...context, signal })
    try {
      return await calls.use(call, signal)
    } catch (error) {
      if (error instanceof SemaphoreBusyError)
        return failed(['Too many calls wait. Try again later.'])
      throw error
    }
  })
  const gone = Promise.withResolvers<void>()
  server.onclose = gone.resolve
  process.stdin.once('end', gone.resolve)
  await server.connect(
    new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: messageBytesMax }),
  )
  try {
    await orAborted(gone.promise, context.signal)
  } finally {
    await server.close()
  }
}

/** The only answers that are asked for have no fields. The SDK's own validator is larger than all of it. */
const unchecked: jsonSchemaValidator = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (input) => ({ valid: true, data: input as T, errorMessage: undefined }),
}

const declared = ({ name, title, description, input, annotations }: Tool) => ({
  name,
  title,
  description,
  annotations: { title, ...annotations },
  inputSchema: z.toJSONSchema(input, { io: 'input' }) as { type: 'object' },
})

interface Answer {
  [field: string]: unknown
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

async function answer(
  name: string,
  given: unknown,
  server: Server,
  account: AccountOptions,
  context: CommandContext,
): Promise<Answer> {
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) return failed([`There is no tool ${JSON.stringify(name)}.`])
  const parsed = tool.input.safeParse(given ?? {})
  if (!parsed.success) return failed([z.prettifyError(parsed.error)])
  const input = parsed.data as never
  const subject = tool.subject?.(input)
  const { confirm } = parsed.data
  const console = new ToolConsole((question) =>
    isConfirmed(question, { confirm, server, signal: context.signal, subject }),
  )
  try {
    await tool.run(input, account, { ...context, console })
    return answered(console)
  } catch (error) {
    context.signal.throwIfAborted()
    const lines = error instanceof CommandError ? error.lines : [messageOf(error, context)]
    return failed([...lines, ...console.said, ...console.noted])
  }
}

interface Confirmation {
  readonly confirm: unknown
  readonly server: Server
  readonly signal: AbortSignal
  readonly subject: string | undefined
}

/** Asks the person, where the program can do that; else the program has to name what it was asked about. Throws CommandError. */
async function isConfirmed(
  question: string,
  { confirm, server, signal, subject }: Confirmation,
): Promise<boolean> {
  if (server.getClientCapabilities()?.elicitation !== undefined) {
    const requestedSchema = { type: 'object' as const, properties: {} }
    const options = { signal, timeout: answerMsMax }
    const { action } = await server.elicitInput({ message: question, requestedSchema }, options)
    return action === 'accept'
  }
  if (subject !== undefined && confirm === subject) return true
  throw new CommandError(
    `${question} Nothing was changed. Ask the person, and call again with "confirm": ${JSON.stringify(subject)} if they agree.`,
  )
}

/** Commands say one object, as JSON. */
function answered({ noted, said }: ToolConsole): Answer {
  const [json = '{}'] = said
  return {
    content: [json, ...noted].map((text) => ({ type: 'text', text })),
    structuredContent: JSON.parse(json),
  }
}

const failed = (lines: readonly string[]): Answer => ({
  content: [{ type: 'text', text: lines.join('\n') }],
  isError: true,
})

function messageOf(error: unknown, { console }: CommandContext): string {
  if (error instanceof FolderError) return error.message
  // For whoever runs the program: standard error is its log.
  console.fail(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return 'This failed unexpectedly; standard error of "sitehost mcp" says why.'
}
