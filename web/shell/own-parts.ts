import type { ComponentType } from 'react'
import type { OwnParts, PageFrameProps } from '#web/shell/routing/router.ts'

export interface LoadedParts extends OwnParts {
  readonly SiteFrame: ComponentType<PageFrameProps>
}

let parts: LoadedParts | null = null

/**
 * What the pages of an account share; null: none of them was loaded yet. It comes with the chunk of each
 * (`src/main/web-chunks.ts`): an `import()` of it would be a request for a chunk without content.
 */
export const ownParts = (): LoadedParts | null => parts

/** Called by `own.tsx`. */
export function haveOwnParts(loaded: LoadedParts): void {
  parts = loaded
}
