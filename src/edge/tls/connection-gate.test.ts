import { expect, test } from 'bun:test'
import { parseTrustedProxies } from '#http/client-address.ts'
import {
  ConnectionGate,
  type GateLimits,
  handshakesAtOnceMax,
  handshakesPerNetworkMax,
  tlsConnectionsMax,
  tlsConnectionsPerNetworkMax,
} from './connection-gate.ts'
import { plainGateLimits } from './plain-listener.ts'

let clock = 0
const trustedProxies = parseTrustedProxies('10.0.0.0/8') ?? []
const openGate = (limits?: GateLimits) =>
  new ConnectionGate({ trustedProxies, now: () => clock, ...(limits && { limits }) })

/** Admits a connection once the rates allow it; null: something else does not. */
function admit(gate: ConnectionGate, address: string) {
  clock += 10
  return gate.admit(address)
}
const addressOf = (network: number) =>
  `192.${network >> 16}.${(network >> 8) & 255}.${network & 255}`

test('a network has so many handshakes at once, and others are not affected', () => {
  const gate = openGate()
  const begun = Array.from({ length: handshakesPerNetworkMax }, () => admit(gate, '192.0.2.1'))
  expect(begun).not.toContain(null)
  expect(admit(gate, '192.0.2.1')).toBeNull()
  expect(admit(gate, '::ffff:192.0.2.1')).toBeNull()
  expect(admit(gate, '192.0.2.2')).not.toBeNull()
  begun[0]?.secured()
  begun[0]?.secured()
  expect(admit(gate, '192.0.2.1')).not.toBeNull()
  expect(admit(gate, '192.0.2.1')).toBeNull()
})

test('an IPv6 network is a prefix', () => {
  const gate = openGate()
  const admitted = Array.from({ length: handshakesPerNetworkMax + 1 }, (_, at) =>
    admit(gate, `2001:db8::${at.toString(16)}`),
  )
  expect(admitted.map((each) => each === null)).toEqual(
    admitted.map((_, at) => at === handshakesPerNetworkMax),
  )
})

test('a network has so many connections; one that ends makes room for another', () => {
  const gate = openGate()
  const open = Array.from({ length: tlsConnectionsPerNetworkMax }, () => {
    const admission = admit(gate, '192.0.2.1')
    admission?.secured()
    return admission
  })
  expect(open).not.toContain(null)
  expect(admit(gate, '192.0.2.1')).toBeNull()
  open[7]?.end()
  open[7]?.end()
  expect(admit(gate, '192.0.2.1')).not.toBeNull()
  expect(admit(gate, '192.0.2.1')).toBeNull()
})

test('a trusted proxy has as many as there are', () => {
  const gate = openGate()
  for (let count = 0; count <= tlsConnectionsPerNetworkMax; count++) {
    const admission = admit(gate, '10.1.2.3')
    expect(admission).not.toBeNull()
    admission?.secured()
  }
})

test('all networks together have so many handshakes, and so many connections', () => {
  const gate = openGate()
  let networks = 0
  const admitNext = () => admit(gate, addressOf(networks++))
  const handshakes = Array.from({ length: handshakesAtOnceMax }, admitNext)
  expect(handshakes).not.toContain(null)
  expect(admitNext()).toBeNull()
  for (const each of handshakes) each?.secured()
  for (let open = handshakesAtOnceMax; open < tlsConnectionsMax; open++) admitNext()?.secured()
  expect(gate.total).toEqual({ connections: tlsConnectionsMax, handshakes: 0 })
  expect(admitNext()).toBeNull()
  for (const each of handshakes) each?.end()
  expect(gate.total.connections).toBe(tlsConnectionsMax - handshakesAtOnceMax)
  expect(admitNext()).not.toBeNull()
})

test('with a rate of all, a flood from many networks gets no more than that after a burst', () => {
  const rate = { count: 250, windowMs: 500 }
  const gate = openGate({ ...plainGateLimits, rate })
  const secondsOfFlood = (seconds: number) => {
    let begun = 0
    for (const end = clock + seconds * 1000; clock < end; clock += 0.5) {
      const admission = gate.admit(addressOf(clock * 2))
      if (admission !== null) begun += 1
      admission?.end()
    }
    return begun
  }
  secondsOfFlood(1)
  expect(secondsOfFlood(4)).toBeLessThanOrEqual(2_001)
  expect(secondsOfFlood(4)).toBeGreaterThan(1_900)
})
