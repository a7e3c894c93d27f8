import { useQuery } from '@tanstack/react-query'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatLimit } from '#web/parts/bytes.ts'
import { buttonClass } from '#web/parts/controls/button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { focusOnMount } from '#web/parts/overlays/focus-on-mount.ts'
import { menuIcons } from '#web/parts/overlays/menu-icons.ts'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { Link } from '#web/shell/routing/link.tsx'
import { words } from '#web/words/words.ts'
import '#web/words/own-file-editor.ts'
import styles from './file-editor.module.css'
import { contentAddress, editedBytesMax, filesAddress, readContent } from './live-file.ts'
import { TextEditor } from './text-editor.tsx'
import { decodeText, type TextFile } from './text-file.ts'

interface FileEditorProps {
  readonly rkey: string
  readonly path: string
}

/** One file of the live version, to be edited if it is text. */
export default function FileEditor({ rkey, path }: FileEditorProps) {
  const texts = words.fileEditor
  // Counts what has to be read anew: each is an editor of its own.
  const [readings, setReadings] = useState(0)
  const { data, error, isPending } = useQuery({
    // Not below the site's key: what was published elsewhere must not replace what is being edited.
    queryKey: ['content', rkey, path, readings],
    queryFn: () => readFile(rkey, path),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  return (
    <section aria-busy={isPending} aria-labelledby="edited-file" className={styles['page']}>
      <p>
        <Link className={styles['back']} href={filesAddress(rkey)}>
          <Icon of={ArrowLeft} />
          {texts.back}
        </Link>
      </p>
      <h2 className={styles['path']} id="edited-file" ref={focusOnMount} tabIndex={-1}>
        <bdi>{path}</bdi>
      </h2>
      {isPending && <Skeleton count={4} shape="row" />}
      {error !== null && (
        <Notice tone="danger">
          <p>{error.message}</p>
        </Notice>
      )}
      {data?.kind === 'text' && (
        <TextEditor
          file={data.file}
          key={readings}
          onReread={() => setReadings((before) => before + 1)}
          path={path}
          rkey={rkey}
        />
      )}
      {data?.kind === 'missing' && (
        <Notice tone="warn">
          <p>{words.files.missing(path)}</p>
        </Notice>
      )}
      {data?.kind === 'binary' && (
        <NotEdited path={path} rkey={rkey}>
          {texts.notText}
        </NotEdited>
      )}
      {data?.kind === 'large' && (
        <NotEdited path={path} rkey={rkey}>
          {texts.tooLarge(formatLimit(editedBytesMax))}
        </NotEdited>
      )}
    </section>
  )
}

function NotEdited({ rkey, path, children }: FileEditorProps & { readonly children: ReactNode }) {
  return (
    <Notice
      action={
        <a className={buttonClass('secondary')} download href={contentAddress(rkey, path)}>
          <Icon of={menuIcons.download} />
          {words.files.downloadFile}
        </a>
      }
      tone="info"
    >
      <p>{children}</p>
    </Notice>
  )
}

type Read =
  | { readonly kind: 'text'; readonly file: TextFile }
  | { readonly kind: 'missing' | 'binary' | 'large' }

async function readFile(rkey: string, path: string): Promise<Read> {
  const content = await readContent(rkey, path)
  if (content === null) return { kind: 'missing' }
  if (content.size > editedBytesMax) return { kind: 'large' }
  const file = decodeText(new Uint8Array(await content.arrayBuffer()))
  return file === null ? { kind: 'binary' } : { kind: 'text', file }
}
