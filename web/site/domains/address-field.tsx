import type { Ref } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { instance } from '#web/server/instance.ts'
import { words } from '#web/words/words.ts'
import styles from './address-field.module.css'
import type { NameCheck } from './use-name-check.ts'

interface AddressFieldProps {
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly check: NameCheck
  /** In place of what the check says. */
  readonly problem?: string | null
  readonly hint?: string
  readonly isOptional?: boolean
  readonly ref?: Ref<HTMLInputElement>
}

/** The field for an address below the base domain, with what is wrong with the address that is typed. */
export function AddressField(props: AddressFieldProps) {
  const { typed, onType, check, problem = null, isOptional = false, ref } = props
  const { hint, label } = words.domains.claim
  return (
    <TextField
      autoComplete="off"
      hint={props.hint ?? hint}
      isOptional={isOptional}
      label={label}
      onChange={({ target }) => onType(target.value)}
      problem={problem ?? addressProblem(check)}
      ref={ref}
      suffix={`.${instance.baseDomain}`}
      value={typed}
    />
  )
}

/** That an address is free, or others that are. */
export function AddressCheck({ check, onType }: Pick<AddressFieldProps, 'check' | 'onType'>) {
  const { checking, free, try: others } = words.domains.claim
  return (
    <>
      <p aria-live="polite" className={styles['check']} data-state={check.state}>
        {check.state === 'checking' && checking}
        {check.state === 'free' && free(check.domain)}
      </p>
      {check.state === 'taken' && check.free.length > 0 && (
        <p className={styles['free']}>
          {others}
          {check.free.map((each) => (
            <Button key={each} look="ghost" onClick={() => onType(each)}>
              {each}
            </Button>
          ))}
        </p>
      )}
    </>
  )
}

/** Why the address cannot be had, or null. */
export function addressProblem(check: NameCheck): string | null {
  const { reserved, taken, yours } = words.domains.claim
  if (check.state === 'problem') return check.problem
  if (check.state === 'reserved') return reserved
  if (check.state === 'yours') return yours
  return check.state === 'taken' ? taken(check.domain) : null
}
