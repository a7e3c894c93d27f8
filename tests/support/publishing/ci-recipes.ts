import { chmod, copyFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dir, '../../..')
const recipes = join(root, 'deploy/ci')

type Texts = Readonly<Record<string, string>>

/** Exit status, standard output and standard error. */
export type RecipeEnd = readonly [status: number, output: string, complaints: string]

/** What takes the place of a recipe's examples in its text. */
export type Examples = Texts

/** Runs `deploy/ci/deploy.sh`, or what a recipe runs, as a runner does. */
export async function runRecipe(
  environment: Texts,
  command: readonly string[] = [join(recipes, 'deploy.sh')],
  cwd = root,
): Promise<RecipeEnd> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stderr: 'pipe',
  })
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return [await child.exited, out.trim(), error.trim()]
}

interface Action {
  readonly runs: { readonly steps: readonly [{ readonly run: string; readonly env: Texts }] }
}

/** The step of the composite action, with these inputs; and what it writes for later steps into a file of `folder`. */
export async function runAction(folder: string, inputs: Texts) {
  const { runs } = (await recipe('action.yml', {})) as Action
  const { env, run } = runs.steps[0]
  const given = Object.entries(env).map(([name, text]) => {
    return [name, inputs[/inputs\.(\w+)/.exec(text)?.[1] ?? ''] ?? ''] as const
  })
  const outputs = join(folder, '.git/outputs')
  await Bun.write(outputs, '')
  const environment = { GITHUB_ACTION_PATH: recipes, GITHUB_OUTPUT: outputs }
  const end = await runRecipe({ ...Object.fromEntries(given), ...environment }, shell([run]))
  return { end, outputs: await Bun.file(outputs).text() }
}

interface GitlabJob {
  readonly extends: string
  readonly variables?: Texts
}

/** A job of the recipe for GitLab in a repository, with the variables that its runner sets. */
export async function runGitlabJob(
  repository: string,
  job: string,
  examples: Examples,
  ofRunner: Texts,
): Promise<RecipeEnd> {
  const jobs = (await recipe('gitlab-ci.yml', examples)) as Record<string, GitlabJob>
  const { extends: base = '', variables = {} } = jobs[job] ?? {}
  const template = jobs[base] as GitlabJob & { readonly script: readonly string[] }
  const all = Object.entries({ ...template.variables, ...variables }).map(([name, text]) => {
    return [name, text.replace(/\$(\w+)/g, (_, known) => ofRunner[known] ?? '')] as const
  })
  return await inRepository(repository, template.script, {
    ...ofRunner,
    ...Object.fromEntries(all),
  })
}

interface Tangled {
  readonly environment: Texts
  readonly steps: readonly { readonly command: string }[]
}

/** The steps of the recipe for Tangled. */
export async function runTangled(
  repository: string,
  examples: Examples,
  secrets: Texts,
): Promise<RecipeEnd> {
  const { environment, steps } = (await recipe('tangled.yml', examples)) as Tangled
  const commands = steps.map(({ command }) => command)
  return await inRepository(repository, commands, { ...environment, ...secrets })
}

/** What docs/deploy-from-ci.md says for a shell. */
export async function runShellExample(
  repository: string,
  examples: Examples,
  variables: Texts,
): Promise<RecipeEnd> {
  const text = await Bun.file(join(root, 'docs/deploy-from-ci.md')).text()
  const [example = ''] = text.match(/^ {4}SITEHOST_URL=[\s\S]*?\.\/deploy\.sh$/m) ?? []
  return await inRepository(repository, [replaced(example, examples)], variables)
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly WorkflowStep[] }>>
}

interface WorkflowStep {
  readonly id?: string
  readonly run?: string
  readonly uses?: string
  readonly with?: Texts
}

/** A job of the recipe for forks: its own step with this environment, whose outputs the action gets; `given`: what expressions are. */
export async function runForkJob(folder: string, job: string, given: Texts, environment: Texts) {
  const { jobs } = (await recipe('forks/preview.yml', given)) as Workflow
  const steps = jobs[job]?.steps ?? []
  const outputs = new Map<string, string>()
  for (const { id, run } of steps) {
    if (run === undefined) continue
    const file = join(folder, '.git/step')
    await Bun.write(file, '')
    const end = await runRecipe({ ...environment, GITHUB_OUTPUT: file }, shell([run]))
    if (end[0] !== 0) throw new Error(end[2])
    for (const line of (await Bun.file(file).text()).trim().split('\n')) {
      const [name, value = ''] = line.split('=')
      outputs.set(`steps.${id}.outputs.${name}`, value)
    }
  }
  const inputs = steps.find(({ uses }) => uses === './.github/sitehost')?.with ?? {}
  const evaluated = Object.entries(inputs).map(([name, text]) => {
    return [name, text.replace(/\$\{\{ (.+?) \}\}/g, (_, key) => outputs.get(key) ?? '')] as const
  })
  return await runAction(folder, Object.fromEntries(evaluated))
}

const shell = (script: readonly string[]): string[] => ['sh', '-e', '-c', script.join('\n')]

/** With `deploy.sh` in it, as the recipes want it. */
async function inRepository(
  repository: string,
  script: readonly string[],
  environment: Texts,
): Promise<RecipeEnd> {
  const copy = join(repository, 'deploy.sh')
  await copyFile(join(recipes, 'deploy.sh'), copy)
  await chmod(copy, 0o755)
  return await runRecipe(environment, shell(script), repository)
}

async function recipe(name: string, examples: Examples): Promise<unknown> {
  return Bun.YAML.parse(replaced(await Bun.file(join(recipes, name)).text(), examples))
}

const replaced = (text: string, examples: Examples): string =>
  Object.entries(examples).reduce((all, [example, real]) => all.replaceAll(example, real), text)
