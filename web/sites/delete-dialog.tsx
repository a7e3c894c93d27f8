import { useQueryClient } from '@tanstack/react-query'
import type { Site } from '#api/contract/client.ts'
import { ConfirmDialog } from '#web/parts/overlays/confirm.tsx'
import { deleteSite } from '#web/server/api.ts'
import { forgetSite } from '#web/server/queries.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { problemOf } from '#web/shell/page-errors.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'

interface DeleteDialogProps {
  readonly site: Site
  readonly onClose: () => void
}

/** Asks for a site's name before it is deleted. */
export function DeleteDialog({ site: { domains, rkey }, onClose }: DeleteDialogProps) {
  const { danger } = words.site
  const client = useQueryClient()
  const remove = async () => {
    try {
      await deleteSite(rkey)
      forgetSite(client, rkey)
      toast(danger.deleted(rkey))
    } catch (error) {
      if (leaveIfSignedOut(error)) return
      toast(problemOf(error), { tone: 'danger' })
    }
  }
  const names = domains.map(({ domain }) => domain).join(', ')
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => void remove()}
      title={danger.question(rkey)}
      typed={rkey}
      yes={danger.button(rkey)}
    >
      <p>{danger.text}</p>
      {names !== '' && <p>{danger.addresses(names)}</p>}
      <p>{danger.final}</p>
    </ConfirmDialog>
  )
}
