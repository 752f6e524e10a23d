/** YAML errors with line and column, found before anything is sent. */
import { isModestYaml, yamlFault } from '../../base/json/yaml.js'
import type { Problem } from './types.js'

/** Of more only the instance judges: a parser would take seconds and a gigabyte. */
const mostLexemes = 500_000

/**
 * What is wrong with a text as YAML; empty when it parses. Custom tags (`!reference`) and
 * repeated keys are left to the instance.
 */
export const syntaxProblems = async (text: string): Promise<Problem[]> => {
  if (!(await isModestYaml(text, mostLexemes))) return []
  const { LineCounter, parseAllDocuments } = await import('yaml')
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
  })
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) =>
    document.errors.map((error) => {
      const { line, col } = lines.linePos(error.pos[0])
      return { message: yamlFault(error), line, column: col }
    }),
  )
}
