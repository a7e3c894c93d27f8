import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { claimName, mapName } from '#web/server/api.ts'
import { instance } from '#web/server/instance.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { AddressCheck, AddressField } from './address-field.tsx'
import styles from './claim-address.module.css'
import { labelProblem } from './label-problem.ts'
import { labelOf } from './typed-host.ts'
import { useNameCheck } from './use-name-check.ts'

/** An address below the base domain: looked up while it is typed, and this site's at one press. */
export function ClaimAddress({ rkey }: { rkey: string }) {
  const client = useQueryClient()
  const texts = words.domains.claim
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const label = labelOf(typed, instance.baseDomain)
  const check = useNameCheck(label)
  const { isBusy, problem, run, setProblem } = useAction()
  const claim = async (event: FormEvent) => {
    event.preventDefault()
    const wrong = labelProblem(label)
    if (wrong !== null) {
      setProblem(wrong)
      input.current?.focus()
      return
    }
    const isClaimed = await run(async () => {
      const domain = await claimName(label)
      await mapName(domain, rkey)
      toast(texts.claimed(domain))
    })
    if (isClaimed) setTyped('')
    else input.current?.focus()
    await refreshAddresses(client)
  }
  return (
    <form className={styles['form']} noValidate onSubmit={(event) => void claim(event)}>
      <div className={styles['row']}>
        <AddressField
          check={check}
          onType={(text) => {
            setTyped(text)
            setProblem(null)
          }}
          problem={problem}
          ref={input}
          typed={typed}
        />
        <Button isBusy={isBusy} type="submit">
          {texts.yes}
        </Button>
      </div>
      <AddressCheck check={check} onType={setTyped} />
    </form>
  )
}
