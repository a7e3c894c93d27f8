import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { addDomain, mapDomain } from '#web/server/api.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import styles from './claim-address.module.css'
import { hostOf } from './typed-host.ts'

/** A domain of the owner's: added, and this site's as soon as it is verified. */
export function AddDomain({ rkey }: { rkey: string }) {
  const client = useQueryClient()
  const texts = words.domains.own
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const { isBusy, problem, run, setProblem } = useAction()
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const host = hostOf(typed.trim())
    if (host === '' || host.includes('*')) {
      setProblem(host === '' ? texts.empty : texts.wildcard)
      input.current?.focus()
      return
    }
    const isAdded = await run(async () => {
      const { domain, id } = await addDomain(host)
      await mapDomain(id, rkey)
      toast(texts.added(domain))
    })
    if (isAdded) setTyped('')
    else input.current?.focus()
    await refreshAddresses(client)
  }
  return (
    <form className={styles['form']} noValidate onSubmit={(event) => void add(event)}>
      <div className={styles['row']}>
        <TextField
          autoComplete="off"
          hint={texts.hint}
          label={texts.label}
          onChange={({ target }) => {
            setTyped(target.value)
            setProblem(null)
          }}
          problem={problem}
          ref={input}
          value={typed}
        />
        <Button isBusy={isBusy} look="secondary" type="submit">
          {texts.yes}
        </Button>
      </div>
    </form>
  )
}
