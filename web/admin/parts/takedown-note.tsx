import type { AnswerTo } from '#api/contract/client.ts'
import { partsWords } from '#web/words/admin/parts.ts'
import styles from './takedown-note.module.css'
import { When } from './when.tsx'

const said = partsWords.takedownNote

type Takedown = AnswerTo<'GET /api/admin/sites/:did/:rkey'>['takedown']

/** That something is offline here, since when and why; nothing where it is not. */
export const TakedownNote = ({ takedown }: { takedown: Takedown }) =>
  takedown && (
    <p className={styles['note']}>
      <strong>{said.offline}</strong> {said.visitorsGet} {takedown.status}. {takedown.actor},{' '}
      <When at={takedown.at} />: {takedown.reason}
    </p>
  )
