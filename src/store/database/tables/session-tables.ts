import type { Did } from '#site/site-address.ts'

/** Who is signed in, and with what; the rules of `Schema` hold for them. */
export interface SessionTables {
  browserSessions: SessionTable & {
    did: Did
    /** Browser and operating system, in words of ours; null: unknown. */
    device: string | null
    /** The account's server and signing key when it signed in; null: the sign-in is not completed yet. */
    authority: string | null
  }
  grantFailures: {
    did: Did
    /** When its server first did not confirm the grant; it never has since then. */
    since: number
    /** When the last try that counts was made. */
    askedAt: number
    tries: number
  }
  sealedRows: {
    kind: string
    key: string
    sealed: string
    expiresAt: number | null
  }
  admins: {
    id: string
    name: string
    passwordHash: string
    createdAt: number
  }
  adminSessions: SessionTable & {
    adminId: string
  }
}

interface SessionTable {
  idHash: string
  createdAt: number
  seenAt: number
  expiresAt: number
}
