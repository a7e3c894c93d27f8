import { useQueryClient } from '@tanstack/react-query'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { choosePrimary } from '#web/server/api.ts'
import { keys } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import type { Address } from './address.ts'
import styles from './addresses.module.css'

/** Says which address the others lead to, and chooses another one. */
export function PrimaryButton({ address, rkey }: { address: Address; rkey: string }) {
  const { domain, isPrimary } = address
  const client = useQueryClient()
  const { isBusy, problem, run } = useAction()
  const texts = words.domains
  const choose = (chosen: string | null) =>
    run(async () => {
      await choosePrimary(rkey, chosen)
      await client.invalidateQueries({ queryKey: keys.sites })
      toast(chosen === null ? texts.nowNoPrimary : texts.nowPrimary(chosen))
    })
  return (
    <div className={styles['primary']}>
      {isPrimary && <strong>{texts.isPrimary}</strong>}
      <Button
        aria-label={isPrimary ? undefined : texts.makePrimaryOf(domain)}
        isBusy={isBusy}
        look="ghost"
        onClick={() => void choose(isPrimary ? null : domain)}
      >
        {isPrimary ? texts.noPrimary : texts.makePrimary}
      </Button>
      {problem !== null && <Problem>{problem}</Problem>}
    </div>
  )
}
