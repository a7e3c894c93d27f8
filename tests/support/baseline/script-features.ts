import { parseSync } from 'oxc-parser'
import { elementFeatures } from './html-features.ts'
import { isNew, Names, statuses } from './statuses.ts'
import { syntaxFeatures } from './syntax-features.ts'
import { globalNameOf, memberNameOf, type Node, stringOf, walk } from './walk.ts'

/** A property that is read and not called may be one of an object of the program. */
type Use = 'certain' | 'a property of that name'

/**
 * Keys of the features that a script uses, as far as its text shows them: syntax, globals, their members, other members by
 * name, options in calls, events, elements made by React. A name that features share is taken for the oldest of them, except
 * where the text shows that an iterator has it: types tell the others apart (`tsconfig.web.json`).
 */
export function scriptFeatures(script: string): Map<string, Use> {
  const { errors, program } = parseSync('script.js', script)
  if (errors[0] !== undefined) throw new Error(errors[0].message)
  const declared = new Set<string>()
  walk(program, (node, around) => {
    if (node.type === 'Identifier' && isDeclaration(node, around.at(-1))) declared.add(node.name)
  })
  const found = new Map<string, Use>()
  walk(program, (node, around) => {
    for (const key of featuresOf(node, around, declared)) {
      if (key !== undefined && statuses.has(key)) found.set(key, 'certain')
    }
    const property = propertyOf(node, around.at(-1))
    if (property !== undefined && !found.has(property)) {
      found.set(property, 'a property of that name')
    }
  })
  return found
}

type Keys = Generator<string | undefined>

function* featuresOf(node: Node, around: readonly Node[], declared: ReadonlySet<string>): Keys {
  yield* syntaxFeatures(node, around)
  switch (node.type) {
    case 'Identifier':
      if (!declared.has(node.name) && isReference(node, around.at(-1))) yield globals.get(node.name)
      return
    case 'MemberExpression':
      yield globals.get(globalNameOf(node) ?? '')
      yield members.get(`${globalNameOf(node.object)}.${memberNameOf(node)}`)
      if (isCalled(node, around.at(-1))) yield names.get(memberNameOf(node) ?? '')
      if (isIterator(node.object)) yield `javascript.builtins.Iterator.${memberNameOf(node)}`
      return
    case 'VariableDeclarator':
      if (node.id.type !== 'ObjectPattern') return
      for (const { key } of node.id.properties) {
        yield members.get(`${globalNameOf(node.init)}.${key?.name}`)
      }
      return
    case 'NewExpression':
    case 'CallExpression':
      yield* callFeatures(node)
  }
}

const isCalled = (node: Node, parent: Node): boolean =>
  parent.type === 'CallExpression' && parent.callee === node

function propertyOf(node: Node, parent: Node): string | undefined {
  if (node.type !== 'MemberExpression' || isCalled(node, parent)) return undefined
  const name = memberNameOf(node) ?? ''
  return members.get(`${globalNameOf(node.object)}.${name}`) === undefined
    ? names.get(name)
    : undefined
}

/** `map.values()` and the like. `Object.values()` makes an array. */
function isIterator(node: Node): boolean {
  if (node?.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  const isOfObject = node.callee.object.name === 'Object'
  return !isOfObject && iteratorMakers.includes(memberNameOf(node.callee) ?? '')
}

const iteratorMakers = ['values', 'keys', 'entries', 'matchAll']

function* callFeatures({ callee, arguments: given, type }: Node): Keys {
  const name = callee.type === 'MemberExpression' ? memberNameOf(callee) : globalNameOf(callee)
  const [first, second] = given
  if (name === 'addEventListener') yield names.get(`${stringOf(first)} event`)
  for (const object of given) {
    for (const option of keysOf(object)) yield names.get(`${name}(${option})`)
  }
  const text = stringOf(first)
  if (text === null) return
  if (type === 'NewExpression') yield `api.${name}.${name}.${text}`
  if (second?.type !== 'ObjectExpression' || !statuses.has(`html.elements.${text}`)) return
  yield* elementFeatures(
    text,
    second.properties.map((each: Node) => [
      String(each.key?.name ?? each.key?.value).toLowerCase(),
      stringOf(each.value),
    ]),
  )
}

const keysOf = (object: Node): string[] =>
  object?.type === 'ObjectExpression'
    ? object.properties.flatMap(({ key }: Node) => key?.name ?? [])
    : []

function isReference({ name }: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent.computed || parent.object.name === name
  if (parent.type === 'Property') {
    return parent.computed || parent.shorthand || parent.value.name === name
  }
  return !/Definition|Label|Break|Continue|Specifier/.test(parent.type)
}

/** The data does not tell members of a built-in object from those of what it makes; this engine knows. */
function isStatic(owner: string, name: string): boolean {
  const { [owner]: object } = globalThis as unknown as Record<
    string,
    { prototype?: object } | undefined
  >
  return object !== undefined && name in object && !(name in (object.prototype ?? {}))
}

const isDeclaration = (node: Node, parent: Node): boolean =>
  /Function|Class|Declarator|Pattern|Rest|Catch|Specifier/.test(parent.type) &&
  ![parent.init, parent.right, parent.superClass, parent.body].includes(node)

/** Each global, `Owner.member` and member. */
const globals = new Names()
const members = new Names()
const names = new Names()

for (const key of statuses.keys()) {
  const [, space = '', rest = ''] =
    /^(api|javascript\.builtins(?:\.Intl|\.Temporal)?)\.(.+)$/.exec(key) ?? []
  const [owner = '', member, option] = rest.split('.')
  const [, library] = /^javascript\.builtins\.(.+)/.exec(space) ?? []
  if (owner === '') continue
  if (member === undefined) {
    if (library === undefined) globals.add(owner, key)
    else members.add(`${library}.${owner}`, key)
  } else if (option !== undefined) {
    const [, name] = /^[a-z]+_(\w+)_parameter$/i.exec(option) ?? []
    if (name !== undefined) names.add(`${member}(${name})`, key)
  } else if (member.endsWith('_event')) names.add(`${member.slice(0, -6)} event`, key)
  else if (member !== owner) {
    const name = member.replace(/_static$/, '')
    members.add(`${owner}.${name}`, key)
    // Of a new interface the program has to name the interface, or the older member that leads to it.
    const isOfNew = isNew(`${space}.${owner}`)
    if (name === member && !isStatic(owner, name) && !isOfNew) names.add(name, key)
    if (/^(Window|\w*WorkerGlobalScope)$/.test(owner)) globals.add(name, key)
  }
}
