import { crc32, deflateRawSync } from 'node:zlib'

/** A file of a zip as it should be; the rest is what a hostile one would say of it. */
export interface ZipFile {
  readonly name: string | Buffer
  readonly content?: string | Buffer
  readonly method?: number
  readonly flags?: number
  /** Unix mode, type bits included. */
  readonly mode?: number
  readonly declaredBytes?: number
  readonly crc32?: number
  /** The data of the file at this index instead of its own. */
  readonly sameDataAs?: number
  readonly extra?: Buffer
  readonly isZip64?: boolean
}

export function zipOf(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  const offsets: number[] = []
  let at = 0
  for (const file of files) {
    const name = Buffer.from(file.name)
    const content = Buffer.from(file.content ?? '')
    const method = file.method ?? 8
    const data = method === 8 ? deflateRawSync(content) : content
    const sum = file.crc32 ?? crc32(content)
    const bytes = file.declaredBytes ?? content.length
    const common = record('22222444', [
      ...[20, (file.flags ?? 0x800) & 0xffff, method, 0, 0, sum],
      ...(file.isZip64 ? [0xffffffff, 0xffffffff] : [data.length, bytes]),
    ])
    const zip64 = file.isZip64 ? zip64Sizes(bytes, data.length) : Buffer.alloc(0)
    const extra = Buffer.concat([file.extra ?? Buffer.alloc(0), zip64])
    const offset = file.sameDataAs === undefined ? at : (offsets[file.sameDataAs] ?? 0)
    offsets.push(offset)
    if (file.sameDataAs === undefined) {
      const local = [record('4', [0x04034b50]), common, record('22', [name.length, 0]), name, data]
      parts.push(...local)
      for (const part of local) at += part.length
    }
    directory.push(
      record('42', [0x02014b50, 0x031e]),
      common,
      record('2222244', [name.length, extra.length, 0, 0, 0, (file.mode ?? 0) * 0x10000, offset]),
      name,
      extra,
    )
  }
  const central = Buffer.concat(directory)
  const end = record('4222244', [0x06054b50, 0, 0, files.length, files.length, central.length, at])
  return Buffer.concat([...parts, central, end, record('2', [0])])
}

/** An entry of a tar: a file unless `type` says otherwise. */
export interface TarFile {
  readonly name: string | Buffer
  readonly content?: string | Buffer
  readonly type?: string
  readonly declaredBytes?: number
}

export function tarOf(files: readonly TarFile[], end = Buffer.alloc(1024)): Buffer {
  return Buffer.concat([...files.flatMap(tarEntry), end])
}

/** What pax writes before an entry whose name is too long or not ASCII. */
export function paxOf(values: Readonly<Record<string, string>>): TarFile {
  const lines = Object.entries(values).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`
    const bytes = Buffer.byteLength(rest)
    const length = bytes + String(bytes + String(bytes).length).length
    return `${length}${rest}`
  })
  return { name: 'PaxHeader', type: 'x', content: lines.join('') }
}

function tarEntry({ name, content = '', type = '0', declaredBytes }: TarFile): Buffer[] {
  const data = Buffer.from(content)
  const block = Buffer.alloc(512)
  Buffer.from(name).copy(block, 0, 0, 100)
  block.write('0000644\0', 100)
  block.write((declaredBytes ?? data.length).toString(8).padStart(11, '0'), 124)
  block.write('00000000000\0        ', 136)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  let sum = 0
  for (const byte of block) sum += byte
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [block, data, Buffer.alloc(-data.length & 511)]
}

function zip64Sizes(bytes: number, storedBytes: number): Buffer {
  const sizes = record('22', [1, 16])
  return Buffer.concat([sizes, record('4444', [bytes, 0, storedBytes, 0])])
}

/** Little-endian numbers of so many bytes each. */
function record(widths: string, values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * widths.length)
  let at = 0
  for (let i = 0; i < widths.length; i++) {
    at = bytes.writeUIntLE((values[i] ?? 0) >>> 0, at, Number(widths[i]))
  }
  return bytes.subarray(0, at)
}
