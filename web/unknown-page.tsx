import { PageFrame } from './page-frame.tsx'

/** Any other address of the application. */
export function UnknownPage() {
  return (
    <PageFrame title="Not found">
      <h1>There is no such page</h1>
      <p>
        Check the address, or <a href="/">go to the start</a>.
      </p>
    </PageFrame>
  )
}
