import { createInterface } from 'node:readline/promises'
import { codeOf } from '#observe/code-of.ts'
import { escapeUnprintable } from '#observe/escape-unprintable.ts'
import { CommandError } from './command-error.ts'
import { wrapped } from './wrapped.ts'

/** Where a command reads from and writes to. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

const framesPerSecondMax = 20
const [red, yellow] = [31, 33]
const clearLine = '\r\x1b[2K'

/**
 * What a command says: results on standard output, everything else on standard error. On a terminal progress is one line
 * that changes, and sentences are broken between words; elsewhere it is lines. Names of files and words of servers are untrusted: a terminal or a CI log would obey
 * control characters and further lines, so each line is escaped.
 */
export class Console {
  /** On a terminal (https://no-color.org). */
  hasColour = false
  readonly #streams: Streams
  #progress = ''
  #drawnAt = 0

  constructor(streams: Streams) {
    this.#streams = streams
  }

  /** A line of the result. */
  say(line: string): void {
    this.#clear()
    this.#streams.stdout.write(`${escapeUnprintable(line)}\n`)
  }

  /** A line for the person who watches. */
  note(line: string): void {
    this.#write(this.#sentence(line))
  }

  warn(line: string): void {
    this.#write(this.#coloured(yellow, this.#sentence(line)))
  }

  fail(line: string): void {
    this.#write(this.#coloured(red, this.#sentence(line)))
  }

  /** On a terminal, replaces the line of progress; elsewhere nothing. */
  progress(line: string, now = performance.now()): void {
    const { stderr } = this.#streams
    if (!stderr.isTTY || now - this.#drawnAt < 1000 / framesPerSecondMax) return
    this.#drawnAt = now
    this.#progress = escapeUnprintable(line).slice(0, Math.max((stderr.columns || 80) - 1, 20))
    stderr.write(clearLine + this.#progress)
  }

  /** Of the terminal that results are shown in; undefined: a program reads them. */
  get width(): number | undefined {
    const { stdout } = this.#streams
    return stdout.isTTY ? stdout.columns || 80 : undefined
  }

  /** Whether somebody can answer. */
  get isInteractive(): boolean {
    return this.#streams.stdin.isTTY && this.#streams.stderr.isTTY
  }

  /** The answer of the person at the terminal, without spaces around it. Throws CommandError at the end of the input. */
  async ask(question: string, signal: AbortSignal): Promise<string> {
    this.#clear()
    const { stdin: input, stderr: output } = this.#streams
    const reader = createInterface({ input, output })
    // In its raw mode the terminal sends no signal.
    reader.on('SIGINT', () => process.emit('SIGINT'))
    const closed = Promise.withResolvers<never>()
    reader.once('close', () => closed.reject(new CommandError('There was no answer.')))
    try {
      const answer = reader.question(escapeUnprintable(question), { signal })
      return (await Promise.race([answer, closed.promise])).trim()
    } catch (error) {
      signal.throwIfAborted()
      output.write('\n')
      // Node ends a question so when Ctrl-D is pressed.
      if (codeOf(error) !== 'ABORT_ERR') throw error
      throw new CommandError('There was no answer.', { cause: error })
    } finally {
      reader.close()
    }
  }

  #sentence(line: string): string {
    const { stderr } = this.#streams
    const text = escapeUnprintable(line)
    return stderr.isTTY ? wrapped(text, stderr.columns || 80) : text
  }

  #write(line: string): void {
    this.#clear()
    this.#streams.stderr.write(`${line}\n`)
  }

  #coloured(code: number, line: string): string {
    return this.hasColour && this.#streams.stderr.isTTY ? `\x1b[${code}m${line}\x1b[0m` : line
  }

  #clear(): void {
    if (this.#progress !== '') this.#streams.stderr.write(clearLine)
    this.#progress = ''
  }
}
