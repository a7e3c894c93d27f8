import { dlopen, FFIType, ptr } from 'bun:ffi'
import { readdirSync } from 'node:fs'

// socket(7), as on x86-64 and ARM64.
const solSocket = 1
const soAcceptConn = 30
const soAttachReusePortCbpf = 51
/** `BPF_RET | BPF_K` of linux/bpf_common.h. */
const returnConstant = 0x06
/** No place: the kernel chooses among all sockets. */
const noPlace = 0xffff_ffff

/**
 * Tells the kernel which of the sockets that share the port (`SO_REUSEPORT`) gets new connections: the one at this place, in
 * the order in which they began to listen; null: each its share. A socket that is closed while it gets connections takes
 * those that it has not accepted yet with it (Linux resets them), so others get them before it is closed. False where the
 * system has no such thing.
 */
export function steerConnections(port: number, place: number | null): boolean {
  const library = process.platform === 'linux' ? openLibrary() : null
  if (library === null) return false
  try {
    const socket = listeningSocket(port, library)
    if (socket === null) return false
    // struct sock_filter { u16 code; u8 jt, jf; u32 k } and struct sock_fprog { u16 len; struct sock_filter *filter }
    const filter = new DataView(new ArrayBuffer(8))
    filter.setUint16(0, returnConstant, true)
    filter.setUint32(4, place ?? noPlace, true)
    const filterBytes = new Uint8Array(filter.buffer)
    const program = new DataView(new ArrayBuffer(16))
    program.setUint16(0, 1, true)
    program.setBigUint64(8, BigInt(ptr(filterBytes)), true)
    const value = new Uint8Array(program.buffer)
    const { setsockopt } = library.symbols
    return setsockopt(socket, solSocket, soAttachReusePortCbpf, value, value.length) === 0
  } finally {
    library.close()
  }
}

type Library = NonNullable<ReturnType<typeof openLibrary>>

/** The descriptor of the socket that listens at the port; `Bun.serve` does not tell it (Bun 1.4.5). */
function listeningSocket(port: number, { symbols }: Library): number | null {
  for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
    const accepts = new Int32Array(1)
    const option = symbols.getsockopt(
      descriptor,
      solSocket,
      soAcceptConn,
      accepts,
      new Uint32Array([accepts.byteLength]),
    )
    if (option !== 0 || accepts[0] !== 1) continue
    const address = new Uint8Array(addressBytesMax)
    const named = symbols.getsockname(descriptor, address, new Uint32Array([address.length]))
    if (named === 0 && portOf(address) === port) return descriptor
  }
  return null
}

/** `struct sockaddr_in6` is the longest of those with a port, which all have at the same place. */
const addressBytesMax = 28
const portOf = (address: Uint8Array): number => new DataView(address.buffer).getUint16(2)

function openLibrary() {
  const { i32, ptr: pointer } = FFIType
  try {
    return dlopen('libc.so.6', {
      getsockname: { args: [i32, pointer, pointer], returns: i32 },
      getsockopt: { args: [i32, i32, i32, pointer, pointer], returns: i32 },
      setsockopt: { args: [i32, i32, i32, pointer, i32], returns: i32 },
    })
  } catch {
    // Another C library, such as musl.
    return null
  }
}
