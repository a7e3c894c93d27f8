import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'

/** A component that is loaded when it is first wanted. `lazy` would remember a failure, and take the page away with it. */
export interface LazyModule<Props> {
  readonly load: () => Promise<{ readonly default: ComponentType<Props> }>
  loaded: ComponentType<Props> | null
}

export const lazyModule = <Props,>(load: LazyModule<Props>['load']): LazyModule<Props> => ({
  load,
  loaded: null,
})

interface LazyDialogProps<Props> {
  readonly of: LazyModule<Props>
  readonly props: Props
  /** Instead of `onClose`. */
  readonly onFailed?: () => void
}

/** A dialog, open as soon as it is loaded. When that fails, a toast says so and it closes: opening it again tries again. */
export function LazyDialog<Props extends { readonly onClose: () => void }>({
  of,
  props,
  onFailed = props.onClose,
}: LazyDialogProps<Props>) {
  const { Loaded, hasFailed } = useLoaded(of)
  const fail = useRef(onFailed)
  fail.current = onFailed
  useEffect(() => {
    if (!hasFailed) return
    toast(words.shell.notLoaded.part, { tone: 'danger' })
    fail.current()
  }, [hasFailed])
  return Loaded && <Loaded {...props} />
}

interface LazyPartProps<Props> {
  readonly of: LazyModule<Props>
  readonly props: Props
  /** While it is loaded. */
  readonly fallback?: ReactNode
}

/** A part of a page. When it cannot be loaded, it says so in its place, with a way to try again. */
export function LazyPart<Props extends object>({
  of,
  props,
  fallback = null,
}: LazyPartProps<Props>) {
  const { Loaded, hasFailed, retry } = useLoaded(of)
  if (Loaded !== null) return <Loaded {...props} />
  if (!hasFailed) return fallback
  const again = (
    <Button look="secondary" onClick={retry}>
      {words.shell.tryAgain}
    </Button>
  )
  return (
    <Notice action={again} tone="danger">
      <p>{words.shell.notLoaded.part}</p>
    </Notice>
  )
}

function useLoaded<Props>(module: LazyModule<Props>) {
  const [Loaded, setLoaded] = useState(() => module.loaded)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    if (Loaded !== null || hasFailed) return
    let isShown = true
    module.load().then(
      ({ default: component }) => {
        module.loaded = component
        if (isShown) setLoaded(() => component)
      },
      () => isShown && setFailed(true),
    )
    return () => {
      isShown = false
    }
  }, [module, Loaded, hasFailed])
  return { Loaded, hasFailed, retry: () => setFailed(false) }
}
