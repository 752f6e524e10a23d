/** What is wrong with texts for users: words of our own, sentences that are too long, spelling. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { TextlintKernel } from '@textlint/kernel'
import type { TextlintRuleModule } from '@textlint/types'
import { getDefaultBundledSettingsAsync, spellCheckDocument } from 'cspell-lib'
import terminology from 'textlint-rule-terminology'
import { documentOf, type Text } from './collect.js'

/** Node and the test runner do not agree on what an import of it is. */
const { default: markdown }: typeof import('@textlint/textlint-plugin-markdown') = createRequire(
  import.meta.url,
)('@textlint/textlint-plugin-markdown')

const maxWords = 25

/** What a sentence, or a part of one between colons and semicolons, ends with. */
const end = /(?<=[.!?:;]["”)*]*)\s+/

/** textlint-rule-sentence-length counts characters. */
const sentenceLength: TextlintRuleModule = ({ Syntax, RuleError, report, getSource }) => ({
  [Syntax.Paragraph](node) {
    for (const sentence of getSource(node).split(end)) {
      const words = sentence.split(/\s+/).filter((word) => /[\w`]/.test(word)).length
      if (words > maxWords) report(node, new RuleError(`sentence of ${words} words: ${sentence}`))
    }
  },
})

const placeAt = (document: string, line: number): string =>
  document
    .split('\n', line)
    .findLast((text) => text.startsWith('## `'))
    ?.slice(4, -1) ?? ''

/** What textlint finds, each finding with its place. */
export const styleFindings = async (texts: readonly Text[]): Promise<readonly string[]> => {
  const document = documentOf(texts)
  const terms: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'terms.json'), 'utf8'))
  const { messages } = await new TextlintKernel().lintText(document, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown }],
    rules: [
      { ruleId: 'terminology', rule: terminology, options: { defaultTerms: false, terms } },
      { ruleId: 'sentence-length', rule: sentenceLength },
    ],
  })
  return messages.map(
    ({ loc, message }) => `${placeAt(document, loc.start.line)} ${message.trim()}`,
  )
}

/** Words that are in neither dictionary nor word list, each with its place. */
export const spellingFindings = async (texts: readonly Text[]): Promise<readonly string[]> => {
  const document = documentOf(texts)
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
    return `${placeAt(document, line)} ${text}`
  })
}
