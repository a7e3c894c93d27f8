import { expect, test } from 'bun:test'
import { passingPiecesOf, pieceBytes } from './pieces-of.ts'

test('a piece is freed once the next one is asked for, and the blob stays as it is', async () => {
  const content = new Blob([Buffer.alloc(2 * pieceBytes + 1, 'abc')])
  const before = Bun.SHA256.hash(await content.bytes(), 'hex')
  const pieces: Uint8Array[] = []
  const sizes: number[][] = []
  for await (const piece of passingPiecesOf(content)) {
    pieces.push(piece)
    sizes.push(pieces.map(({ byteLength }) => byteLength))
  }
  expect(sizes).toEqual([[pieceBytes], [0, pieceBytes], [0, 0, 1]])
  expect(Bun.SHA256.hash(await content.bytes(), 'hex')).toBe(before)
})
