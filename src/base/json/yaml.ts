/** What reading a YAML text would cost, known before anything is built of it. */

/** Flow collections nested deeper are nobody's configuration. */
const deepestFlow = 100

/**
 * Whether a text has at most `most` lexemes and no deeper flow collections than `deepestFlow`.
 * Parsers build some hundred bytes for each lexeme, and nest a call for each level.
 */
export const isModestYaml = async (text: string, most: number): Promise<boolean> => {
  const { Lexer } = await import('yaml')
  let count = 0
  let depth = 0
  for (const lexeme of new Lexer().lex(text)) {
    count++
    if (lexeme === '[' || lexeme === '{') depth++
    else if (lexeme === ']' || lexeme === '}') depth--
    if (count > most || depth > deepestFlow) return false
  }
  return true
}
