import { useSyncExternalStore } from 'react'
import { ApiError, call } from '#web/server/api.ts'
import { areaWords } from '#web/words/admin/area.ts'

const said = areaWords.adminSession

export type AdminSession =
  | { readonly state: 'unknown' }
  /** `notice`: why they have to sign in again, or that it cannot be known. */
  | { readonly state: 'signed-out'; readonly notice: string | null }
  | { readonly state: 'signed-in'; readonly username: string }

let session: AdminSession = { state: 'unknown' }
const listeners = new Set<() => void>()

/** Who is signed in here. Renders again when that changes. */
export const useAdminSession = (): AdminSession => useSyncExternalStore(subscribe, () => session)

/** Asks the server who is signed in. */
export async function readSession(): Promise<void> {
  try {
    const status = await call('GET /api/admin/status', {})
    set(
      status.authenticated
        ? { state: 'signed-in', username: status.username }
        : { state: 'signed-out', notice: null },
    )
  } catch (error) {
    set({ state: 'signed-out', notice: messageOf(error) })
  }
}

/** Throws ApiError, with the sentence for the person. */
export async function signIn(username: string, password: string): Promise<void> {
  await call('POST /api/admin/login', { body: { username, password } })
  set({ state: 'signed-in', username })
}

export async function signOut(): Promise<void> {
  await call('POST /api/admin/logout', {})
  set({ state: 'signed-out', notice: said.signedOut })
}

/** The error as a sentence. If it says that the session has ended, the sign-in takes the place of the page. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return said.failed
  if (error.status !== 401) return error.message
  sessionEnded()
  return hasEnded
}

/** Shows the sign-in in place of the page, whose address stays. */
export function sessionEnded(): void {
  if (session.state === 'signed-in') set({ state: 'signed-out', notice: hasEnded })
}

const hasEnded = said.ended

function set(next: AdminSession): void {
  session = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
