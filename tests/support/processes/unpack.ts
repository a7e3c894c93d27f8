import { expect } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackArchive } from '#publish/upload/archive-unpack.ts'
import { Spool } from '#publish/upload/spool.ts'
import { UploadTree } from '#publish/upload/upload-tree.ts'
import type { SkippedFile } from '#site/upload/upload-admission.ts'
import { UploadRefusedError } from '#site/upload/upload-refusal.ts'

export const archiveLimits = {
  fileBytesMax: 1_000_000,
  siteBytesMax: 2_500_000,
  siteFilesMax: 1000,
}

export interface Unpacked {
  readonly files: Record<string, string>
  readonly skippedFiles: readonly SkippedFile[]
  /** What lies in the spool then, these files aside. */
  readonly unwantedBytes: number
}

/** Unpacks an archive into a spool of its own. */
export async function unpack(
  name: string,
  bytes: Uint8Array,
  hooks: Partial<
    Pick<Parameters<typeof unpackArchive>[1], 'limits' | 'onUnpack' | 'unpackSlot'>
  > = {},
): Promise<Unpacked> {
  const dir = await mkdtemp(join(tmpdir(), 'archive-'))
  await using folder = await new Spool(dir).open(crypto.randomUUID())
  async function* content() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
  try {
    const limits = archiveLimits
    const tree = new UploadTree(folder, limits)
    await unpackArchive({ name, content: content() }, { folder, limits, ...hooks }, tree)
    const { files, skippedFiles } = tree.finish()
    const contents = await Promise.all(
      files.map(async (file) => [file.path, await folder.blob(file).text()]),
    )
    const wantedBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
    const unwantedBytes = (await folder.bytesOnDisk()) - wantedBytes
    return { files: Object.fromEntries(contents), skippedFiles, unwantedBytes }
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** What it was refused with. */
export async function refusal(unpacking: Promise<Unpacked>): Promise<UploadRefusedError> {
  const error: unknown = await unpacking.then(
    () => 'accepted',
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(UploadRefusedError)
  return error as UploadRefusedError
}
