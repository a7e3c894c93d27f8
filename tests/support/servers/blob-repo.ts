import { rawCid } from '#atproto/repo/raw-cid.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import { FakeRepo } from './fake-repo.ts'

/** With a server that takes blobs, and sniffs as the reference server does. */
export class BlobRepo extends FakeRepo {
  readonly blobs = new Map<string, Uint8Array>()
  uploads = 0
  /** The process that uses it has ended: nothing more arrives. */
  hasEnded = false

  async blobUploadBytesMax(): Promise<null> {
    this.called('blobUploadBytesMax')
    return null
  }

  async uploadBlob(blob: Blob): Promise<BlobRef> {
    const bytes = await blob.bytes()
    this.called('uploadBlob')
    const digest = new Bun.CryptoHasher('sha256').update(bytes).digest()
    this.uploads += 1
    this.blobs.set(rawCid(digest), bytes)
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    const mimeType = isGzip ? 'application/gzip' : 'application/octet-stream'
    return { $type: 'blob', ref: { $link: rawCid(digest) }, mimeType, size: bytes.length }
  }

  protected override called(method: string): void {
    if (this.hasEnded) throw new Error('the process has ended')
    super.called(method)
  }

  /** All that publishing writes, keys included. */
  records(): string {
    const collections = ['place.sitehost.fs', 'place.sitehost.subfs', 'place.sitehost.version']
    return JSON.stringify(
      collections.map((of) => this.keys(of).map((key) => [key, this.find(of, key)?.value])),
    )
  }
}
