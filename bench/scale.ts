// `bun bench/scale.ts edge [rounds] [seconds]`: what a second process adds.
// `bun bench/scale.ts instances [rounds] [seconds] [sites of an account]`: what a second instance adds.
// `bun bench/scale.ts ingest [rounds] [sites]`: what it adds to reading the network alone.
// `bun bench/scale.ts names [sites] [place]`: what a million sites cost that nobody visits; `fill [sites] PLACE` fills the place alone.
// `bun bench/scale.ts certificates [count] [URL]`: what reviewing 100 000 certificates takes of the thread of visitors.
// `bun bench/scale.ts lists PLACE [rounds]`: what administrators and the account with the most sites wait for with those sites.
// `bun bench/scale.ts upkeep PLACE`: what the work of every minute and hour takes with the sites of `names`.
import { measureCertificates } from './scale/certificates.ts'
import { scaleEdge } from './scale/edge.ts'
import { scaleIngest } from './scale/ingest.ts'
import { scaleInstances } from './scale/instances.ts'
import { measureLists } from './scale/lists.ts'
import { fillPlace, measureNames } from './scale/names.ts'
import { measureUpkeep } from './scale/upkeep.ts'

const parts: Readonly<Record<string, (...args: string[]) => Promise<void>>> = {
  certificates: (count = '100000', url) => measureCertificates(Number(count), url),
  edge: (rounds = '5', seconds = '3') => scaleEdge(Number(rounds), Number(seconds)),
  fill: (sites = '1000000', place = '') => fillPlace(Number(sites), place),
  ingest: (rounds = '3', sites = '300') => scaleIngest(Number(rounds), Number(sites)),
  instances: (rounds = '3', seconds = '30', sitesEach = '12') =>
    scaleInstances(Number(rounds), Number(seconds), Number(sitesEach)),
  lists: (place = '', rounds = '5') => measureLists(place, Number(rounds)),
  names: (sites = '1000000', place) => measureNames(Number(sites), place),
  upkeep: measureUpkeep,
}

const [name = '', ...args] = process.argv.slice(2)
const part = parts[name]
if (part === undefined) throw new TypeError(`no part ${name}: ${Object.keys(parts).join(', ')}`)
await part(...args)
// The servers of a local network keep a process alive that has ended its networks.
process.exit()
