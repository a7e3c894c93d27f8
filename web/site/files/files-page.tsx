import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { filesQuery } from '#web/server/queries.ts'
import { useAddress } from '#web/shell/routing/address.ts'
import { LazyPart, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import type { PageProps } from '#web/shell/routing/router.ts'
import { ExplainSection } from '#web/site/explain/explain-section.tsx'
import { words } from '#web/words/words.ts'
import '#web/words/own-files.ts'
import { FileBrowser, type FileView, firstView } from './file-browser.tsx'

const fileEditor = lazyModule(() => import('./file-editor.tsx'))

/** `/sites/:rkey/files`: what the live version is made of; with `?edit=path` one of its files. */
export default function FilesPage({ params: { rkey = '' } }: PageProps) {
  // Below a list whose length is not known yet, something would move.
  const { isPending } = useQuery(filesQuery(rkey, 'live'))
  const edited = useAddress().searchParams.get('edit')
  // Stays while a file is edited.
  const [view, setView] = useState<FileView>(firstView)
  const lastEdited = useRef(edited)
  useEffect(() => {
    if (edited !== null) lastEdited.current = edited
  }, [edited])
  return (
    <Page title={`${edited ?? words.files.title} · ${rkey}`}>
      {edited === null ? (
        <>
          <FileBrowser cameFrom={lastEdited.current} onView={setView} rkey={rkey} view={view} />
          {!isPending && <ExplainSection rkey={rkey} />}
        </>
      ) : (
        <LazyPart
          fallback={<Skeleton count={3} shape="row" />}
          key={edited}
          of={fileEditor}
          props={{ path: edited, rkey }}
        />
      )}
    </Page>
  )
}
