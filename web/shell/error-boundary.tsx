import { Component, type ReactNode } from 'react'
import { Problem } from '#web/parts/problem.tsx'

/** What is shown in place of a page that fails, instead of nothing. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return <Problem>Something went wrong in this page. Reload it to go on.</Problem>
  }
}
