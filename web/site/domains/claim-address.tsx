import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { TextField } from '#web/parts/field.tsx'
import { claimName, mapName } from '#web/server/api.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import styles from './claim-address.module.css'
import { labelProblem } from './label-problem.ts'
import { hostOf } from './typed-host.ts'
import { type NameCheck, useNameCheck } from './use-name-check.ts'

/** An address below the base domain: looked up while it is typed, and this site's at one press. */
export function ClaimAddress({ rkey, baseDomain }: { rkey: string; baseDomain: string }) {
  const client = useQueryClient()
  const texts = words.domains.claim
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const label = labelOf(typed, baseDomain)
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
        <TextField
          autoComplete="off"
          hint={texts.hint}
          label={texts.label}
          onChange={({ target }) => {
            setTyped(target.value)
            setProblem(null)
          }}
          problem={problem ?? problemOf(check)}
          ref={input}
          suffix={`.${baseDomain}`}
          value={typed}
        />
        <Button isBusy={isBusy} type="submit">
          {texts.yes}
        </Button>
      </div>
      <p aria-live="polite" className={styles['check']} data-state={check.state}>
        {check.state === 'checking' && texts.checking}
        {check.state === 'free' && texts.free(check.domain)}
      </p>
      {check.state === 'taken' && check.free.length > 0 && (
        <p className={styles['free']}>
          {texts.try}
          {check.free.map((each) => (
            <Button key={each} look="ghost" onClick={() => setTyped(each)}>
              {each}
            </Button>
          ))}
        </p>
      )}
    </form>
  )
}

function problemOf(check: NameCheck): string | null {
  const { reserved, taken } = words.domains.claim
  if (check.state === 'problem') return check.problem
  if (check.state === 'reserved') return reserved
  return check.state === 'taken' ? taken(check.domain) : null
}

/** Of a whole address below the base domain, what is in front of it. */
function labelOf(typed: string, baseDomain: string): string {
  const host = hostOf(typed.trim())
  return host.toLowerCase().endsWith(`.${baseDomain}`)
    ? host.slice(0, -baseDomain.length - 1)
    : host
}
