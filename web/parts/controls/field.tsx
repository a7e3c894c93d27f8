import { type ComponentProps, type ReactNode, useId } from 'react'
import { words } from '#web/words/words.ts'
import styles from './field.module.css'
import { Problem } from './problem.tsx'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  /** Shown below the control and read out with it. */
  readonly problem?: string | null
  readonly isOptional?: boolean
  /** Renders the control with what connects it to its label, hint and problem. */
  readonly children: (control: ControlProps) => ReactNode
}

interface ControlProps {
  readonly id: string
  readonly className: string | undefined
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

/** Label, control, hint and problem, of a control of any kind. */
export function Field({ label, hint, problem = null, isOptional = false, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const problemId = `${id}-problem`
  const described = [problem !== null && problemId, hint !== undefined && hintId]
    .filter(Boolean)
    .join(' ')
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>
        {label}
        {isOptional && <span className={styles['optional']}> {words.parts.optional}</span>}
      </label>
      {children({
        id,
        className: styles['control'],
        'aria-describedby': described || undefined,
        'aria-invalid': problem !== null,
      })}
      {problem !== null && <Problem id={problemId}>{problem}</Problem>}
      {hint !== undefined && (
        <p className={styles['hint']} id={hintId}>
          {hint}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps extends ComponentProps<'input'> {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: string | null
  readonly isOptional?: boolean
  /** Shown in the field before what is typed, such as `@`. */
  readonly prefix?: string
  /** Shown in the field after what is typed, such as `.sites.example`. */
  readonly suffix?: string
}

/** An input for names and addresses: nothing corrects, capitalizes or spell-checks it. */
export function TextField(props: TextFieldProps) {
  const { label, hint, problem = null, isOptional = false, prefix, suffix, ...input } = props
  return (
    <Field hint={hint} isOptional={isOptional} label={label} problem={problem}>
      {({ className, ...control }) => (
        <span className={`${className} ${styles['text']}`}>
          {prefix !== undefined && <span className={styles['affix']}>{prefix}</span>}
          <input
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            {...input}
            {...control}
          />
          {suffix !== undefined && <span className={styles['affix']}>{suffix}</span>}
        </span>
      )}
    </Field>
  )
}
