/** Finds the problems of a CI configuration with their places: those that an instance reports, and YAML syntax errors. */
import { DeepYamlError, parseYamlNodes, YamlProblem } from '../../base/yaml/nodes.js'
import { loadCiCondition } from '../sandbox.js'
import { findNamedPlace, isCheap, readPlaces } from './places.js'

/** A problem of a configuration. Lines and columns are counted from 1. */
export interface Problem {
  readonly message: string
  readonly line?: number
  readonly column?: number
  /** The file, if it is not the checked one. */
  readonly file?: string
}

/** A configuration that was checked, and the version of the instance that checked it. */
export interface Checked {
  readonly content: string
  readonly asOf: string | undefined
}

/** Adds places to messages. Without the configuration, only places in the messages themselves are known. */
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

/** Finds the first YAML syntax error; undefined if the text can be parsed. Tags and duplicate keys are left to the instance. */
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
