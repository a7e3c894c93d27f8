// `bun bench/scale.ts edge|instances [rounds] [seconds]`: what a second process, or a second instance, adds.
import { scaleEdge } from './scale/edge.ts'
import { scaleInstances } from './scale/instances.ts'

const parts: Readonly<Record<string, (rounds: number, seconds: number) => Promise<void>>> = {
  edge: scaleEdge,
  instances: scaleInstances,
}

const [name = '', rounds = 5, seconds = 3] = process.argv.slice(2)
const part = parts[name]
if (part === undefined) throw new TypeError(`no part ${name}: ${Object.keys(parts).join(', ')}`)
await part(Number(rounds), Number(seconds))
