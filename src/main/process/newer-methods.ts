// Methods of the language that Node 20 lacks, of those that shared code uses; `tests/cli/cli-bundle.test.ts` compares.
// One by one: core-js's collections of them replace `Promise`, `URL` and `Set`, and are four times this.
import 'core-js/modules/es.iterator.constructor.js'
import 'core-js/modules/es.iterator.every.js'
import 'core-js/modules/es.iterator.filter.js'
import 'core-js/modules/es.iterator.find.js'
import 'core-js/modules/es.iterator.flat-map.js'
import 'core-js/modules/es.iterator.for-each.js'
import 'core-js/modules/es.iterator.from.js'
import 'core-js/modules/es.iterator.map.js'
import 'core-js/modules/es.iterator.reduce.js'
import 'core-js/modules/es.iterator.some.js'
import 'core-js/modules/es.promise.with-resolvers.js'
import 'core-js/modules/es.set.intersection.v2.js'
import 'core-js/modules/es.set.union.v2.js'

// core-js brings a parser of URLs of its own for it.
URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null)
