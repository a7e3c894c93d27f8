import { IdentityError } from '#atproto/identity/identity.ts'
import { SyncsBusyError } from '#ingest/account-syncs.ts'
import { errorText, stackText } from '#observe/error-text.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'

/** An error of a thread as plain data: messages between threads drop an error's class. */
export type ThreadFailure =
  | { readonly kind: 'busy' | 'unreachable' }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: string
      readonly reason: string
    }
  | { readonly kind: 'unusable'; readonly method: string; readonly field: string }
  | { readonly kind: 'database'; readonly dialect: 'sqlite' | 'postgres'; readonly code: string }
  | { readonly kind: 'unexpected'; readonly message: string; readonly stack: string }

export function threadFailureOf(error: unknown): ThreadFailure {
  if (error instanceof SyncsBusyError) return { kind: 'busy' }
  if (error instanceof ServerUnreachableError || error instanceof IdentityError) {
    return { kind: 'unreachable' }
  }
  if (error instanceof ServerRefusedError) {
    const { code, reason, status } = error
    return { kind: 'refused', status, code, reason }
  }
  if (error instanceof UnusableAnswerError) {
    const { field, method } = error
    return { kind: 'unusable', method, field }
  }
  if (error instanceof DatabaseUnavailableError) {
    const { code, dialect } = error
    return { kind: 'database', dialect, code }
  }
  const unexpected = error instanceof Error ? error : new Error(String(error))
  return { kind: 'unexpected', message: errorText(unexpected), stack: stackText(unexpected) }
}

/** An error of the same class, with the fields that callers use. */
export function errorOfThread(failure: ThreadFailure): Error {
  const method = 'com.atproto.repo.listRecords'
  switch (failure.kind) {
    case 'busy':
      return new SyncsBusyError()
    case 'unreachable':
      return new ServerUnreachableError(method)
    case 'refused': {
      const { code, reason, status } = failure
      return new ServerRefusedError(method, { status, data: { error: code, message: reason } })
    }
    case 'unusable':
      return new UnusableAnswerError(failure.method, failure.field)
    case 'database': {
      const { code, dialect } = failure
      return new DatabaseUnavailableError(dialect, Object.assign(new Error(code), { code }))
    }
    case 'unexpected': {
      const { message, stack } = failure
      return Object.assign(new Error(message), { stack })
    }
  }
}
