import type { ComponentProps, ReactNode } from 'react'
import styles from './field.module.css'
import { Field } from './field.tsx'

interface TextAreaProps extends ComponentProps<'textarea'> {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: string | null
  readonly isOptional?: boolean
}

/** Several lines of text. */
export function TextArea(props: TextAreaProps) {
  const { label, hint, problem = null, isOptional = false, rows = 4, ...area } = props
  return (
    <Field hint={hint} isOptional={isOptional} label={label} problem={problem}>
      {({ className, ...control }) => (
        <textarea {...area} {...control} className={`${className} ${styles['area']}`} rows={rows} />
      )}
    </Field>
  )
}
