import { ApiError, syncSites } from './api.ts'
import { Button } from './button.tsx'
import styles from './no-sites.module.css'
import { Problem } from './problem.tsx'
import { useAction } from './use-action.ts'

/** In the place of an empty list: sites that were written elsewhere may be on their way. */
export function NoSites({ onLookedAgain }: { onLookedAgain: () => void }) {
  const { isBusy, problem, run } = useAction()
  const lookAgain = async () => {
    const { errors } = await syncSites()
    onLookedAgain()
    const [first] = errors
    if (first !== undefined) throw new ApiError(null, `${first.rkey}: ${first.error}`)
  }
  return (
    <div className={styles['none']}>
      <p>
        No site yet. Publish one below. Those in your repository already come here by themselves.
      </p>
      <Button isBusy={isBusy} look="quiet" onClick={() => void run(lookAgain)}>
        {isBusy ? 'Looking…' : 'Look again'}
      </Button>
      {problem !== null && <Problem>{problem}</Problem>}
    </div>
  )
}
