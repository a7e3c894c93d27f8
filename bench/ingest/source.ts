// Run by `bench/ingest.ts`: the repositories, warm, and their firehose. Takes orders by line.
import { siteRecord, startRepoNetwork } from '#tests/support/servers/repo-network.ts'
import { reposCommit, startReposServer } from '#tests/support/servers/repos-server.ts'

const network = startRepoNetwork(Number(process.argv[2]))
const firehose = startReposServer()
let number = 0
let version = 0

for (const [n, repo] of network.repos.entries()) repo.home = n % 2
process.stdout.write(`${JSON.stringify({ plc: network.plc, firehose: firehose.url })}\n`)

for await (const order of console) {
  if (order === 'go') {
    for (const { did } of network.repos) {
      number += 1
      firehose.emit(reposCommit(number, did, 'place.sitehost.fs/site'))
    }
  } else await prepare(order === 'new-blob')
  process.stdout.write('done\n')
}

/** A new version of every site, with its proofs. */
async function prepare(isNew: boolean): Promise<void> {
  version += 1
  for (const [n, repo] of network.repos.entries()) {
    const page = isNew ? `${n} of ${version} ${'x'.repeat(1000)}` : `known ${n % 100}`
    const files = {
      'index.html': network.addBlob(page),
      'about.html': network.addBlob('about'),
      'style.css': network.addBlob('style'),
    }
    const createdAt = new Date(1_700_000_000_000 + version * 1000).toISOString()
    await repo.commit(new Map([['place.sitehost.fs/site', siteRecord('site', files, createdAt)]]))
    await repo.proof('place.sitehost.fs/site')
    await repo.proof('place.sitehost.settings/site')
  }
}
