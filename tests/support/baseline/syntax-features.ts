import { type Node, stringOf } from './walk.ts'

/** Keys of syntax that this module finds. A test compares them with the syntax that the data calls new. */
export const foundSyntax = [
  'javascript.statements.using',
  'javascript.statements.await_using',
  'javascript.statements.import.defer',
  'javascript.operators.import.defer',
  'javascript.statements.import.import_attributes',
  'javascript.operators.await.top_level',
  'javascript.regular_expressions.modifier',
  'javascript.regular_expressions.named_capturing_group.duplicate_named_capturing_groups',
] as const

export function* syntaxFeatures(node: Node, around: readonly Node[]): Generator<string> {
  switch (node.type) {
    case 'VariableDeclaration':
      if (node.kind === 'using') yield 'javascript.statements.using'
      if (node.kind === 'await using') yield 'javascript.statements.await_using'
      return
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
      if (node.phase === 'defer') yield 'javascript.statements.import.defer'
      if (node.attributes?.length > 0) yield 'javascript.statements.import.import_attributes'
      return
    case 'ImportExpression':
      if (node.phase === 'defer') yield 'javascript.operators.import.defer'
      if (node.options) yield 'javascript.statements.import.import_attributes'
      return
    case 'ForOfStatement':
      // A stream is what Safari cannot iterate: of anything else an exception says so.
      if (node.await) yield 'api.ReadableStream.@@asyncIterator'
      if (node.await && isTopLevel(around)) yield 'javascript.operators.await.top_level'
      return
    case 'AwaitExpression':
      if (isTopLevel(around)) yield 'javascript.operators.await.top_level'
      return
    case 'StaticBlock':
      yield 'javascript.classes.static_initialization_blocks'
      return
    case 'Literal':
      if (node.regex) yield* expressionFeatures(node.regex.pattern, node.regex.flags)
      return
    case 'NewExpression':
    case 'CallExpression': {
      if (node.callee.name !== 'RegExp') return
      const [pattern, flags] = node.arguments
      yield* expressionFeatures(stringOf(pattern) ?? '', stringOf(flags) ?? '')
    }
  }
}

const isTopLevel = (around: readonly Node[]): boolean =>
  !around.some(({ type }) => type.includes('Function') || type === 'StaticBlock')

function* expressionFeatures(pattern: string, flags: string): Generator<string> {
  if (flags.includes('v')) yield 'javascript.builtins.RegExp.unicodeSets'
  if (flags.includes('d')) yield 'javascript.builtins.RegExp.hasIndices'
  if (/\(\?<[!=]/.test(pattern)) yield 'javascript.regular_expressions.lookbehind_assertion'
  if (/\(\?[ims]*-?[ims]*:/.test(pattern.replaceAll('(?:', ''))) {
    yield 'javascript.regular_expressions.modifier'
  }
  const names = [...pattern.matchAll(/\(\?<([^>=!]+)>/g)].map(([, name]) => name)
  if (new Set(names).size < names.length) {
    yield 'javascript.regular_expressions.named_capturing_group.duplicate_named_capturing_groups'
  }
}
