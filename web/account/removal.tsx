import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Choice } from '#web/parts/controls/choice.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Confirm } from '#web/parts/overlays/confirm.tsx'
import { deleteAccount } from '#web/server/api.ts'
import { userQuery } from '#web/server/queries.ts'
import { leaveAccount } from '#web/server/session.ts'
import { words } from '#web/words/words.ts'
import styles from './account-page.module.css'
import { Section } from './section.tsx'

/** Deletes everything stored here, after a list of it and the typed handle. */
export function Removal() {
  const { remove } = words.account
  const { data: user } = useQuery(userQuery)
  const [records, setRecords] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deleteAccount(records),
    onSuccess: () => leaveAccount('/?news=left'),
  })
  return (
    <Section isDangerous title={remove.title}>
      <p className={styles['text']}>{remove.text}</p>
      <Choice
        checked={records}
        hint={remove.recordsHint}
        label={remove.records}
        onChange={({ target }) => setRecords(target.checked)}
        type="checkbox"
      />
      {error !== null && <Problem>{error.message}</Problem>}
      <div>
        <Confirm
          isBusy={isPending || user === undefined}
          label={isPending ? remove.deleting : remove.button}
          look="danger"
          onConfirm={() => mutate()}
          title={remove.question}
          typed={user?.handle ?? ''}
          yes={remove.yes}
        >
          <p>{remove.final}</p>
          <ul>
            <li>{remove.sites}</li>
            <li>{remove.addresses}</li>
            <li>{remove.sessions}</li>
            {records && <li>{remove.inAccount}</li>}
          </ul>
          {!records && <p>{remove.stay}</p>}
        </Confirm>
      </div>
    </Section>
  )
}
