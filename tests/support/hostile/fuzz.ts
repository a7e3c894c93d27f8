import { expect } from 'bun:test'
import fc from 'fast-check'
import { cpuClock, cpuMs } from '#tests/support/processes/cpu-ms.ts'

/** `FUZZ_RUNS=100000` for a search that goes on. */
export const fuzzRunsOf = (usual: number): number => Number(process.env['FUZZ_RUNS'] ?? usual)

const fuzzRuns = fuzzRunsOf(500)

/** What one input may take of the processor. */
const runMsMax = 50
/** Until the compiler has seen the code. */
const warmUpRuns = 50
const repeatsMax = 3

/** What one run of a fuzzing was like. */
export interface FuzzReport {
  runs: number
  slowestMs: number
}

/**
 * Gives what may be anything to what must take it: `take` throws for nothing, and is done in 50 ms of its
 * thread's time (`cpuMs`). A run that takes longer is repeated before it counts, for a pause of the garbage
 * collector is not the parser's. Random inputs, and by `examples` what was found before.
 */
export function fuzz<Input>(
  inputs: fc.Arbitrary<Input>,
  take: (input: Input) => void,
  examples: readonly Input[] = [],
): FuzzReport {
  for (const input of fc.sample(inputs, warmUpRuns)) take(input)
  const report: FuzzReport = { runs: 0, slowestMs: 0 }
  const measured = (input: Input): void => {
    let ms = cpuMs(() => take(input))
    for (let more = repeatsMax; ms > runMsMax && more > 0; more--) {
      ms = Math.min(
        ms,
        cpuMs(() => take(input)),
      )
    }
    note(report, ms)
  }
  fc.assert(fc.property(inputs, measured), parameters(examples))
  return report
}

/** The same of what resolves. What others do meanwhile counts too: nothing else may run. */
export async function fuzzAsync<Input>(
  inputs: fc.Arbitrary<Input>,
  take: (input: Input) => Promise<void>,
  examples: readonly Input[] = [],
): Promise<FuzzReport> {
  for (const input of fc.sample(inputs, warmUpRuns)) await take(input)
  const report: FuzzReport = { runs: 0, slowestMs: 0 }
  const msOf = async (input: Input): Promise<number> => {
    const spent = cpuClock()
    await take(input)
    return spent()
  }
  const measured = async (input: Input): Promise<void> => {
    let ms = await msOf(input)
    for (let more = repeatsMax; ms > runMsMax && more > 0; more--) {
      ms = Math.min(ms, await msOf(input))
    }
    note(report, ms)
  }
  await fc.assert(fc.asyncProperty(inputs, measured), parameters(examples))
  return report
}

function note(report: FuzzReport, ms: number): void {
  report.runs += 1
  report.slowestMs = Math.max(report.slowestMs, ms)
  expect(ms).toBeLessThanOrEqual(runMsMax)
}

const parameters = <Input>(examples: readonly Input[]) => ({
  numRuns: fuzzRuns,
  examples: examples.map((input): [Input] => [input]),
})

/** Changes of bytes, as a network and an attacker make them. */
type Mutation =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'set'; readonly at: number; readonly byte: number }
  | { readonly kind: 'cut'; readonly at: number; readonly count: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'repeat'; readonly at: number; readonly count: number }

const place = fc.double({ min: 0, max: 1, noNaN: true })
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.integer({ min: 0, max: 7 }) }),
  fc.record({
    kind: fc.constant('set' as const),
    at: place,
    byte: fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0x00, 0x1b, 0x5b, 0x7b, 0x9a, 0x9b, 0x9f, 0xba, 0xbf, 0xd8, 0xf6, 0xff),
    ),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: place, count: fc.nat(64) }),
  fc.record({
    kind: fc.constant('insert' as const),
    at: place,
    bytes: fc.uint8Array({ maxLength: 32 }),
  }),
  fc.record({ kind: fc.constant('repeat' as const), at: place, count: fc.nat(2000) }),
)

/** Bytes that were valid once, changed in some places. */
export function mutated(valid: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const mutations = fc.array(mutation, { minLength: 0, maxLength: 6 })
  return fc
    .tuple(valid, mutations)
    .map(([bytes, changes]) => changes.reduce(changed, new Uint8Array(bytes)))
}

function changed(bytes: Uint8Array<ArrayBuffer>, change: Mutation): Uint8Array<ArrayBuffer> {
  const at = Math.min(bytes.length, Math.floor(change.at * bytes.length))
  switch (change.kind) {
    case 'flip':
    case 'set': {
      const copy = new Uint8Array(bytes)
      const byte = copy[at]
      if (byte !== undefined)
        copy[at] = change.kind === 'set' ? change.byte : byte ^ (1 << change.bit)
      return copy
    }
    case 'cut':
      return joined(bytes.subarray(0, at), bytes.subarray(at + change.count))
    case 'insert':
      return joined(bytes.subarray(0, at), change.bytes, bytes.subarray(at))
    case 'repeat': {
      const piece = bytes.subarray(at, at + 8)
      const copies = Array.from({ length: change.count }, () => piece)
      return joined(bytes.subarray(0, at), ...copies, bytes.subarray(at))
    }
  }
}

const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts))
