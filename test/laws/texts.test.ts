/** Texts for users are plain English: `../../.config/texts/` has the rules. */
import { expect, it } from 'vitest'
import { collectTexts } from '../../.config/texts/collect.js'
import { findSpellingIssues, findStyleIssues } from '../../.config/texts/lint.js'

const texts = collectTexts()

it('finds the texts of the source and of the documents', () => {
  const found = texts.map(({ text }) => text)
  expect(found).toContain('Show a runner')
  expect(found.length).toBeGreaterThan(2000)
})

it('holds no words of our own and no sentence of more than 25 words', async () => {
  expect(
    await findStyleIssues(texts),
    'reword the text as suggested, or make two sentences of it; `npm run texts` prints all texts',
  ).toEqual([])
})

it('is spelled as in America', async () => {
  expect(
    await findSpellingIssues(texts),
    'correct the spelling, or add a name to the words of .config/texts/',
  ).toEqual([])
})

it('finds what is wrong', async () => {
  const wrong = { place: 'x.ts:1', text: 'The run is gone on with. Nothing else is recieved.' }
  const long = { place: 'x.ts:2', text: `${'word '.repeat(26)}ends.` }
  expect(await findStyleIssues([wrong, long])).toEqual([
    expect.stringMatching(/^x.ts:1 Incorrect term: “is gone on with”, use “is resumed”/),
    expect.stringMatching(/^x.ts:2 sentence of 27 words/),
  ])
  expect(await findSpellingIssues([wrong])).toEqual(['x.ts:1 recieved'])
})
