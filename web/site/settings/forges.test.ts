import { expect, test } from 'bun:test'
import '#web/words/own-ci.ts'
import { forgeName, issuers, repositoryName } from './forges.ts'

test.each([
  ['alice/site', 'alice/site'],
  ['group.name/sub/site', 'group.name/sub/site'],
  ['https://github.com/alice/site', 'alice/site'],
  ['https://github.com/alice/site/', 'alice/site'],
  ['https://github.com/alice/site.git', 'alice/site'],
  ['https://github.com/alice/site/tree/main?tab=readme', 'alice/site'],
  ['https://gitlab.com/group/sub/site/-/pipelines', 'group/sub/site'],
  ['git@github.com:alice/site.git', 'alice/site'],
  ['github.com/alice/site', 'alice/site'],
  ['group/tree/site', 'group/tree/site'],
  ['site', 'site'],
])('%j is the repository %j', (typed, name) => {
  expect(repositoryName(typed)).toBe(name)
})

test.each([
  [issuers.github, 'GitHub'],
  [issuers.gitlab, 'GitLab'],
  ['https://forge.example/api/actions', 'forge.example'],
])('%s is shown as %s', (issuer, name) => {
  expect(forgeName(issuer)).toBe(name)
})
