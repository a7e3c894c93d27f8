import { lazyModule } from '#web/shell/routing/lazy-part.tsx'

/** Not in the way of what the pages show first. */
export const explainAddress = lazyModule(() => import('./explain-address.tsx'))
