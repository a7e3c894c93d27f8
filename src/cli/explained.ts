import { failureSentence } from '#publish/publish-failure.ts'
import { CommandError } from './command-error.ts'

/** Work at the account's server, whose failures become sentences for the person. Throws CommandError, and defects as they are. */
export async function explained<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    const sentence = failureSentence(error)
    throw sentence === null ? error : new CommandError(sentence, { cause: error })
  }
}
