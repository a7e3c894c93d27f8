import { ChevronDown } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Icon } from '#web/parts/icon.tsx'
import styles from './field.module.css'
import { Field } from './field.tsx'

export interface SelectChoice {
  readonly value: string
  readonly name: string
}

interface SelectProps extends ComponentProps<'select'> {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: string | null
  /** What the empty choice means; without it, one of `choices` is always chosen. */
  readonly none?: string
  readonly choices: readonly (SelectChoice | string)[]
}

/** One of a few, or none. */
export function Select({ label, hint, problem = null, none, choices, ...select }: SelectProps) {
  return (
    <Field hint={hint} label={label} problem={problem}>
      {({ className, ...control }) => (
        <span className={styles['choose']}>
          <select {...select} {...control} className={`${className} ${styles['select']}`}>
            {none !== undefined && <option value="">{none}</option>}
            {choices.map(choiceOf).map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
          <Icon of={ChevronDown} />
        </span>
      )}
    </Field>
  )
}

const choiceOf = (choice: SelectChoice | string): SelectChoice =>
  typeof choice === 'string' ? { value: choice, name: choice } : choice
