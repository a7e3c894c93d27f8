import 'react'

declare module 'react' {
  interface InputHTMLAttributes<T> {
    /** Makes a file input pick a folder; present when it is any string. */
    webkitdirectory?: string | undefined
  }
}
