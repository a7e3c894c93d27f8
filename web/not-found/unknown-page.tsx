import { PageFrame } from '#web/shell/page-frame.tsx'

/** Any other address of the application. */
export function UnknownPage() {
  return (
    <PageFrame title="Not found">
      <h1>Page not found</h1>
      <p>
        <a href="/">Go to your sites</a>
      </p>
    </PageFrame>
  )
}
