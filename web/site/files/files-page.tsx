import { lazy, Suspense, useState } from 'react'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { useAddress } from '#web/shell/address.ts'
import { Page } from '#web/shell/page.tsx'
import type { PageProps } from '#web/shell/router.ts'
import { words } from '#web/words/words.ts'
import { FileBrowser, type FileView, firstView } from './file-browser.tsx'

const FileEditor = lazy(() => import('./file-editor.tsx'))
const ExplainAddress = lazy(async () => {
  const { ExplainAddress } = await import('#web/site/explain/explain-address.tsx')
  return { default: ExplainAddress }
})

/** `/sites/:rkey/files`: what the live version is made of; with `?edit=path` one of its files. */
export default function FilesPage({ params: { rkey = '' } }: PageProps) {
  const edited = useAddress().searchParams.get('edit')
  // Stays while a file is edited.
  const [view, setView] = useState<FileView>(firstView)
  return (
    <Page title={`${edited ?? words.files.title} · ${rkey}`}>
      {edited === null ? (
        <>
          <FileBrowser onView={setView} rkey={rkey} view={view} />
          <Suspense>
            <ExplainAddress rkey={rkey} />
          </Suspense>
        </>
      ) : (
        <Suspense fallback={<Skeleton count={3} shape="row" />}>
          <FileEditor key={edited} path={edited} rkey={rkey} />
        </Suspense>
      )}
    </Page>
  )
}
