import { Component, type ReactNode } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { PageNotLoadedError } from '#web/shell/routing/router.ts'
import { words } from '#web/words/words.ts'
import styles from './error-boundary.module.css'
import { ErrorDetails } from './error-details.tsx'
import { reportPageError } from './page-errors.ts'

interface ErrorBoundaryProps {
  /** Another page gets another chance. */
  readonly resetKey?: string
  readonly children: ReactNode
}

interface State {
  readonly error: unknown
  readonly resetKey: string | undefined
}

/** What is shown in place of a page that fails, instead of nothing. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  override state: State = { error: null, resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error }
  }

  static getDerivedStateFromProps(props: ErrorBoundaryProps, state: State): State | null {
    if (props.resetKey === state.resetKey) return null
    return { error: null, resetKey: props.resetKey }
  }

  override componentDidCatch(error: unknown): void {
    reportPageError(error)
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    const { crashed, notLoaded } = words.shell
    const { title, text } = error instanceof PageNotLoadedError ? notLoaded : crashed
    return (
      <div className={styles['crash']} role="alert">
        <h1>{title}</h1>
        <p>{text}</p>
        <Button onClick={() => location.reload()}>{crashed.reload}</Button>
        <ErrorDetails error={error} />
      </div>
    )
  }
}
