import { useEffect } from 'react'

/** Files dropped outside the drop area: the browser would open one of them and leave the page. */
export function useNoStrayDrops(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      const { dataTransfer } = event
      // Text may be dropped into a field.
      if (event.defaultPrevented || !dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      dataTransfer.dropEffect = 'none'
    }
    document.addEventListener('dragover', refuse)
    document.addEventListener('drop', refuse)
    return () => {
      document.removeEventListener('dragover', refuse)
      document.removeEventListener('drop', refuse)
    }
  }, [])
}
