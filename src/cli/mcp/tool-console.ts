import { Console } from '#cli/console.ts'
import { escapeUnprintable } from '#observe/escape-unprintable.ts'

const notesMax = 100

/** Collects what a command says, for a program; the person is asked through it. */
export class ToolConsole extends Console {
  /** Lines of the result. */
  readonly said: string[] = []
  /** The notes that a person would have read as well, cut at the limit. */
  readonly noted: string[] = []
  readonly #isConfirmed: (question: string) => Promise<boolean>

  constructor(isConfirmed: (question: string) => Promise<boolean>) {
    super(process)
    this.#isConfirmed = isConfirmed
  }

  override say(line: string): void {
    this.said.push(line)
  }

  override note(line: string): void {
    if (this.noted.length < notesMax) this.noted.push(escapeUnprintable(line))
  }

  override warn(line: string): void {
    this.note(line)
  }

  override fail(line: string): void {
    this.note(line)
  }

  override progress(): void {}

  override get isInteractive(): boolean {
    return true
  }

  /** For questions that are answered by yes or no. */
  override async ask(question: string): Promise<string> {
    return (await this.#isConfirmed(question.replace(/ \[y\/N\] $/, ''))) ? 'yes' : 'no'
  }
}
