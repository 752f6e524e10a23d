/** The problems of a configuration with their places: what an instance says, and what makes a file no YAML. */
import { DeepYamlError, parseYamlNodes, YamlProblem } from '../../base/yaml/nodes.js'
import { loadCiCondition } from '../sandbox.js'
import { findNamedPlace, isCheap, readPlaces } from './places.js'

/** One problem of a configuration; lines and columns count from 1 where they are known. */
export interface Problem {
  readonly message: string
  readonly line?: number
  readonly column?: number
  /** The file, where it is not the one that was checked. */
  readonly file?: string
}

/** A configuration that was sent, and the version that it was checked as. */
export interface Checked {
  readonly content: string
  readonly asOf: string | undefined
}

/** Returns sentences with the places that they are about, as far as the configuration is here. */
export const toProblems = async (
  messages: readonly string[],
  checked: Checked | undefined,
): Promise<readonly Problem[]> => {
  if (messages.length === 0) return []
  if (checked === undefined)
    return messages.map((message) => ({ message, ...findNamedPlace(message) }))
  const hasConditions = messages.some((message) => message.includes('expression syntax'))
  const isCondition = hasConditions ? await loadCiCondition(checked.asOf) : () => true
  const find = await readPlaces(checked.content, isCondition)
  return messages.map((message) => ({ message, ...find(message) }))
}

/** Finds the first mistake that makes a text no YAML; undefined when it parses. Tags and repeated keys are left to the instance. */
export const findSyntaxProblem = async (text: string): Promise<Problem | undefined> => {
  if (!(await isCheap(text))) return undefined
  try {
    parseYamlNodes(text)
    return undefined
  } catch (error) {
    if (error instanceof DeepYamlError) return undefined
    if (!(error instanceof YamlProblem)) throw error
    const { line, column } = error.at
    return { message: error.message, line: line + 1, column: column + 1 }
  }
}
