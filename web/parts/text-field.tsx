import { type ComponentProps, useId } from 'react'
import styles from './field.module.css'
import { Problem } from './problem.tsx'

interface TextFieldProps extends ComponentProps<'input'> {
  readonly label: string
  readonly hint?: string
  /** Shown below the field and read out with it. */
  readonly problem?: string | null
}

/** An input for names and addresses: nothing corrects, capitalizes or spell-checks it. */
export function TextField({ label, hint, problem = null, ...input }: TextFieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const problemId = `${id}-problem`
  const described = [problem !== null && problemId, hint !== undefined && hintId]
    .filter(Boolean)
    .join(' ')
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <input
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        {...input}
        aria-describedby={described || undefined}
        aria-invalid={problem !== null}
        className={styles['control']}
        id={id}
      />
      {hint !== undefined && (
        <p className={styles['hint']} id={hintId}>
          {hint}
        </p>
      )}
      {problem !== null && <Problem id={problemId}>{problem}</Problem>}
    </div>
  )
}
