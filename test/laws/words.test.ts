/** One word has one meaning: no two files export types of the same name. */
import { expect, it } from 'vitest'
import { parseStatements, readSource, type SourceNode, sourceFiles } from '../support/source.js'

const kinds = [
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
  'ClassDeclaration',
]

/** Returns the name of the type that a statement declares and exports. */
const getExportedType = ({ type, declaration }: SourceNode): readonly string[] => {
  const declared = declaration as SourceNode | null | undefined
  if (type !== 'ExportNamedDeclaration' || !kinds.includes(declared?.type ?? '')) return []
  const { name } = (declared?.id ?? {}) as { name?: unknown }
  return typeof name === 'string' ? [name] : []
}

const listTypes = (text: string, file?: string): readonly string[] =>
  parseStatements(text, file).flatMap(getExportedType)

it('has one meaning for each exported type', () => {
  const files = new Map<string, string[]>()
  for (const file of sourceFiles)
    for (const name of listTypes(readSource(file), file))
      files.set(name, [...(files.get(name) ?? []), file])
  expect(files.size).toBeGreaterThan(250)
  const twice = [...files].filter(([, at]) => at.length > 1)
  expect(
    twice.map(([name, at]) => `${name}: ${at.join(', ')}`),
    'rename one of the two by what it means, or export one and import it',
  ).toEqual([])
})

it('sees every way to declare one', () => {
  const text = [
    'export interface A { b: string }',
    'export type B = string',
    'export class C {}',
    'export abstract class D {}',
    'export enum E {}',
    'interface F {}',
    'export const G = 1',
  ].join('\n')
  expect(listTypes(text)).toEqual(['A', 'B', 'C', 'D', 'E'])
})
