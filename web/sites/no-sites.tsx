import { Button } from '#web/parts/button.tsx'
import { Problem } from '#web/parts/problem.tsx'
import { ApiError, syncSites } from '#web/server/api.ts'
import { useAction } from '#web/server/use-action.ts'
import styles from './no-sites.module.css'

/** In the place of an empty list: sites that were written elsewhere may be on their way. */
export function NoSites({ onChecked }: { onChecked: () => void }) {
  const { isBusy, problem, run } = useAction()
  const check = async () => {
    const { errors } = await syncSites()
    onChecked()
    const [first] = errors
    if (first !== undefined) throw new ApiError(null, `${first.rkey}: ${first.error}`)
  }
  return (
    <div className={styles['none']}>
      <p>
        No sites yet. Drop a folder to publish your first one. Sites you published elsewhere appear
        here automatically.
      </p>
      <Button isBusy={isBusy} look="secondary" onClick={() => void run(check)}>
        {isBusy ? 'Checking…' : 'Check again'}
      </Button>
      {problem !== null && <Problem>{problem}</Problem>}
    </div>
  )
}
