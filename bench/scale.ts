// `bun bench/scale.ts edge|instances [rounds] [seconds]`: what a second process, or a second instance, adds.
// `bun bench/scale.ts names [sites] [place]`: what a million sites cost that nobody visits.
import { scaleEdge } from './scale/edge.ts'
import { scaleInstances } from './scale/instances.ts'
import { measureNames } from './scale/names.ts'

const parts: Readonly<Record<string, (...args: string[]) => Promise<void>>> = {
  edge: (rounds = '5', seconds = '3') => scaleEdge(Number(rounds), Number(seconds)),
  instances: (rounds = '5', seconds = '12') => scaleInstances(Number(rounds), Number(seconds)),
  names: (sites = '1000000', place) => measureNames(Number(sites), place),
}

const [name = '', ...args] = process.argv.slice(2)
const part = parts[name]
if (part === undefined) throw new TypeError(`no part ${name}: ${Object.keys(parts).join(', ')}`)
await part(...args)
