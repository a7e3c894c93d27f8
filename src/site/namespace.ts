/** Where the records of one network are: its collections, and the types of the nodes in its trees. */
export interface Namespace<Name extends NetworkName = NetworkName> {
  readonly name: Name
  /** Manifests. */
  readonly fs: `${Name}.fs`
  /** Parts. */
  readonly subfs: `${Name}.subfs`
  readonly settings: `${Name}.settings`
  /** Version records. Only our network has them. */
  readonly version: `${Name}.version`
  /** `$type` of a node in a manifest. */
  readonly nodes: {
    readonly file: `${Name}.fs#file`
    readonly directory: `${Name}.fs#directory`
    readonly subfs: `${Name}.fs#subfs`
  }
}

/** Networks whose records differ from ours in their names and in what `parseManifest` and `conventionsOf` know. */
export const foreignNames = ['place.wisp'] as const
export type ForeignName = (typeof foreignNames)[number]
type NetworkName = 'place.sitehost' | ForeignName

/** What is written, and what a tree is in memory, of whichever network it was read. */
export const ownNamespace = makeNamespace('place.sitehost')

/** The network whose webhooks are records, and their collection. Ours are rows (docs/adr/0036). */
export const foreignWebhookNetwork: ForeignName = 'place.wisp'
export const foreignWebhookCollection = 'place.wisp.v2.wh'

export const foreignNamespaces: readonly Namespace<ForeignName>[] = foreignNames.map(makeNamespace)

export type OwnNamespace = typeof ownNamespace
export type OwnCollection = Collection<OwnNamespace>
export type Collection<Of extends Namespace = Namespace> = Of[
  | 'fs'
  | 'subfs'
  | 'settings'
  | 'version']

function makeNamespace<const Name extends NetworkName>(name: Name): Namespace<Name> {
  return {
    name,
    fs: `${name}.fs`,
    subfs: `${name}.subfs`,
    settings: `${name}.settings`,
    version: `${name}.version`,
    nodes: {
      file: `${name}.fs#file`,
      directory: `${name}.fs#directory`,
      subfs: `${name}.fs#subfs`,
    },
  }
}
