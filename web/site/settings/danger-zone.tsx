import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Site } from '#api/contract/client.ts'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Confirm } from '#web/parts/overlays/confirm.tsx'
import { deleteSite } from '#web/server/api.ts'
import { forgetSite } from '#web/server/queries.ts'
import { goTo } from '#web/shell/routing/address.ts'
import { useRouter } from '#web/shell/routing/router.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import styles from './settings-page.module.css'

/** Last on the page: what cannot be undone. */
export default function DangerZone({ site: { rkey, domains } }: { site: Site }) {
  const { danger } = words.site
  const client = useQueryClient()
  const router = useRouter()
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      void router.load(router.match('/editor').route)
      await deleteSite(rkey)
    },
    onSuccess: () => {
      // Whatever was not saved is gone with it.
      goTo('/editor', { forced: true })
      forgetSite(client, rkey)
      toast(danger.deleted(rkey))
    },
  })
  const names = domains.map(({ domain }) => domain).join(', ')
  return (
    <section aria-labelledby="danger" className={styles['danger']}>
      <h2 id="danger">{danger.title}</h2>
      <p>{danger.text}</p>
      {names !== '' && <p>{danger.addresses(names)}</p>}
      {error !== null && <Problem>{error.message}</Problem>}
      <div>
        <Confirm
          isBusy={isPending}
          label={isPending ? danger.deleting : danger.button(rkey)}
          look="danger"
          onConfirm={() => mutate()}
          title={danger.question(rkey)}
          typed={rkey}
          yes={danger.button(rkey)}
        >
          <p>{danger.text}</p>
          <p>{danger.final}</p>
        </Confirm>
      </div>
    </section>
  )
}
