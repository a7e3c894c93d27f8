import type { ResourceUri } from '@atcute/lexicons/syntax'
import type { OwnNamespace } from '#site/namespace.ts'
import type { BlobRef } from './blob-ref.ts'

export interface Directory {
  readonly $type: OwnNamespace['nodes']['directory']
  readonly type: 'directory'
  readonly entries: readonly Entry[]
}

export interface Entry {
  readonly name: string
  readonly node: FileNode | Directory | SubfsNode
}

export interface FileNode {
  readonly $type: OwnNamespace['nodes']['file']
  readonly type: 'file'
  readonly blob: BlobRef
  readonly encoding?: 'gzip'
  readonly mimeType?: string
  readonly base64?: boolean
}

/** References a part: a record that holds a piece of the tree. */
export interface SubfsNode {
  readonly $type: OwnNamespace['nodes']['subfs']
  readonly type: 'subfs'
  readonly subject: ResourceUri
  readonly flat: boolean
}
