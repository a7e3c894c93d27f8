import { Download, Ellipsis, PencilLine, Trash2 } from 'lucide-react'

/** What means the same in each menu of things, and on its button. */
export const menuIcons = {
  delete: Trash2,
  download: Download,
  edit: PencilLine,
  more: Ellipsis,
} as const
