import { useState } from 'react'
import type { Column } from '#web/admin/parts/data-table.tsx'
import { ListPage, type ListQuery, OpenLink } from '#web/admin/parts/list-page.tsx'
import { StatusWord } from '#web/admin/parts/status-word.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { SignInNote } from '#web/admin/sign-in-note.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { type Invitation, InvitationDetail } from './invitation-detail.tsx'
import { InviteDialog, type NewInvitation, NewInvitationNote } from './invite-dialog.tsx'

const said = listsWords.invitationsPage

/** `/admin/invitations`: addresses by which guests sign in. */
export function InvitationsPage() {
  const [created, setCreated] = useState<NewInvitation | null>(null)
  return (
    <ListPage
      columns={columns}
      corner={(onDone) => <InviteDialog onCreated={setCreated} onDone={onDone} />}
      detail={(invitation, onDone) => (
        <InvitationDetail
          invitation={invitation}
          onDone={(told) => {
            setCreated(null)
            onDone(told)
          }}
        />
      )}
      empty={said.empty}
      keyOf={({ id }) => id}
      list={listInvitations}
      notice={created !== null && <NewInvitationNote invitation={created} />}
      searchIn={null}
      title={said.title}
    />
  )
}

async function listInvitations(query: ListQuery) {
  const { invitations, cursor, signIn } = await call('GET /api/admin/invitations', { query })
  return { rows: invitations, cursor, note: <SignInNote signIn={signIn} /> }
}

const columns: readonly Column<Invitation>[] = [
  {
    head: 'Invitation',
    cell: ({ id }) => <OpenLink of={id}>{id.slice(0, idChars)}</OpenLink>,
  },
  { head: 'State', cell: (invitation) => <InvitationState invitation={invitation} /> },
  { head: 'Created by', isMinor: true, cell: ({ createdBy }) => createdBy },
  { head: 'Created', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Ends', cell: ({ expiresAt }) => <When at={expiresAt} /> },
]

/** Enough to tell those of a page apart. */
const idChars = 8

function InvitationState({ invitation: { expiresAt, usedBy } }: { invitation: Invitation }) {
  if (usedBy !== null) return <StatusWord tone="good">{said.used}</StatusWord>
  const isOver = Date.parse(expiresAt) <= Date.now()
  return isOver ? (
    <StatusWord tone="rest">{said.expired}</StatusWord>
  ) : (
    <StatusWord tone="info">{said.open}</StatusWord>
  )
}
