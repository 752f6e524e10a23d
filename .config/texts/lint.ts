/** Checks the texts for users: discouraged words, long sentences, spelling. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { TextlintKernel } from '@textlint/kernel'
import type { TextlintRuleModule } from '@textlint/types'
import { getDefaultBundledSettingsAsync, spellCheckDocument } from 'cspell-lib'
import terminology from 'textlint-rule-terminology'
import { buildDocument, type Text } from './collect.js'

/** Node and the test runner disagree on what an import of this package is. */
const { default: markdown }: typeof import('@textlint/textlint-plugin-markdown') = createRequire(
  import.meta.url,
)('@textlint/textlint-plugin-markdown')

const maxWords = 25

/** Matches the space after a sentence, or after a part of one that ends with a colon or semicolon. */
const sentenceEnd = /(?<=[.!?:;]["”)*]*)\s+/

/** Limits the words of a sentence; textlint-rule-sentence-length counts characters. */
const checkSentenceLength: TextlintRuleModule = ({ Syntax, RuleError, report, getSource }) => ({
  [Syntax.Paragraph](node) {
    for (const sentence of getSource(node).split(sentenceEnd)) {
      const words = sentence.split(/\s+/).filter((word) => /[\w`]/.test(word)).length
      if (words > maxWords) report(node, new RuleError(`sentence of ${words} words: ${sentence}`))
    }
  },
})

const findPlace = (document: string, line: number): string =>
  document
    .split('\n', line)
    .findLast((text) => text.startsWith('## `'))
    ?.slice(4, -1) ?? ''

/** Returns the findings of textlint, each with its place. */
export const findStyleIssues = async (texts: readonly Text[]): Promise<readonly string[]> => {
  const document = buildDocument(texts)
  const terms: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'terms.json'), 'utf8'))
  const { messages } = await new TextlintKernel().lintText(document, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown }],
    rules: [
      { ruleId: 'terminology', rule: terminology, options: { defaultTerms: false, terms } },
      { ruleId: 'sentence-length', rule: checkSentenceLength },
    ],
  })
  return messages.map(
    ({ loc, message }) => `${findPlace(document, loc.start.line)} ${message.trim()}`,
  )
}

/** Returns the words that are in neither a dictionary nor the word list, each with its place. */
export const findSpellingIssues = async (texts: readonly Text[]): Promise<readonly string[]> => {
  const document = buildDocument(texts)
  const words = readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8').split('\n')
  const { issues } = await spellCheckDocument(
    { uri: 'file:///texts.md', text: document, languageId: 'markdown', locale: 'en_US' },
    { noConfigSearch: true, generateSuggestions: false },
    {
      ...(await getDefaultBundledSettingsAsync()),
      words,
      ignoreRegExpList: ['/`[^`]*`/g'],
      maxNumberOfProblems: 10_000,
    },
  )
  return issues.map(({ text, offset }) => {
    const line = document.slice(0, offset).split('\n').length
    return `${findPlace(document, line)} ${text}`
  })
}
