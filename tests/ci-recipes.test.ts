import { expect, test } from 'bun:test'
import { join } from 'node:path'

// The recipes of deploy/ci, as far as they say what runs: tests/deploy-from-ci.test.ts runs the script.

const read = async (name: string) =>
  await Bun.file(join(import.meta.dir, '../deploy/ci', name)).text()
const parsed = async (name: string) => Bun.YAML.parse(await read(name))

test('is what the recipes run', async () => {
  const known = new Set((await read('deploy.sh')).match(/SITEHOST_[A-Z_]+/g))
  const action = (await parsed('action.yml')) as Action
  const [step] = action.runs.steps
  expect(step?.run).toContain('/deploy.sh')
  const gitlab = (await parsed('gitlab-ci.yml')) as Record<string, Job>
  expect(gitlab['.sitehost']?.script).toEqual(['./deploy.sh'])
  const { name, on_stop } = gitlab['preview']?.environment ?? {}
  expect(gitlab[on_stop ?? '']?.environment).toEqual({ name: name ?? '', action: 'stop' })
  const tangled = (await parsed('tangled.yml')) as Tangled
  expect(tangled.steps.map(({ command }) => command)).toEqual(['sh deploy.sh'])
  const ofJobs = Object.values(gitlab).flatMap(({ id_tokens, variables }) => [id_tokens, variables])
  const named = [step?.env, tangled.environment, ...ofJobs].flatMap((each) =>
    Object.keys(each ?? {}),
  )
  expect(named.filter((name) => !known.has(name))).toEqual([])
  const inputs = Object.values(step?.env ?? {}).map((text) => /inputs\.(\w+)/.exec(text)?.[1])
  expect(inputs.toSorted()).toEqual(Object.keys(action.inputs).toSorted())
})

test('deploys what a job of a fork has built without running any of it', async () => {
  const { inputs } = (await parsed('action.yml')) as Action
  const bundle = (await parsed('forks/bundle.yml')) as Workflow
  const preview = (await parsed('forks/preview.yml')) as Workflow
  expect(bundle.permissions).toEqual({ contents: 'read' })
  expect(await read('forks/bundle.yml')).not.toMatch(/secrets\.|id-token/)
  expect(preview.on.workflow_run?.workflows).toEqual([bundle.name])
  const steps = Object.values(preview.jobs).flatMap((job) => job.steps)
  for (const { run = '', uses = '', with: given = {} } of steps) {
    // What a fork is called, or its branch, would be part of the command.
    expect(run).not.toContain('{{')
    if (uses.startsWith('actions/checkout')) expect(given).toEqual({})
    if (uses !== './.github/sitehost') continue
    expect(Object.keys(given).filter((name) => !(name in inputs))).toEqual([])
    expect(given['preview'] ?? given['remove']).toMatch(/^pr-|pull-request\.outputs\.alias/)
    expect(given['token']).toBe(expression('secrets.SITEHOST_PREVIEW_TOKEN'))
  }
})

const expression = (text: string): string => ['$', `{{ ${text} }}`].join('')

interface Job {
  readonly variables?: object
  readonly id_tokens?: object
  readonly script?: readonly string[]
  readonly environment?: {
    readonly name: string
    readonly on_stop?: string
    readonly action?: string
  }
}

interface Action {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly runs: { readonly steps: readonly { readonly run: string; readonly env: Texts }[] }
}
interface Tangled {
  readonly environment: Texts
  readonly steps: readonly { readonly command: string }[]
}
interface Workflow {
  readonly name: string
  readonly on: { readonly workflow_run?: { readonly workflows: readonly string[] } }
  readonly permissions: Texts
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>
}
interface Step {
  readonly run?: string
  readonly uses?: string
  readonly with?: Texts
}
type Texts = Readonly<Record<string, string>>
