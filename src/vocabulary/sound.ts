/** Of what was learnt, the words that go together with the whole catalogue; the others are left open. */
import { Failure } from '../errors.js'
import type { Learnt, Lesson } from './learn.js'

/** @param check throws Failure `usage` for the text of a vocabulary that cannot stand */
export const soundIn = async (
  lesson: Lesson,
  check: (text: string) => Promise<unknown>,
): Promise<Lesson> => {
  const words: Learnt[] = []
  const unsound: Learnt[] = []
  for (const one of lesson.words) {
    try {
      await check(`vocabulary: 1\nwords:\n  ${one.word}: ${one.own}\n`)
      words.push(one)
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'usage') throw error
      unsound.push(one)
    }
  }
  const open = unsound.flatMap(({ word, own, names }) =>
    names.map((name) => ({
      name,
      candidates: [
        name
          .split(/([_-])/)
          .map((token) => (token === word ? own : token))
          .join(''),
      ],
      alike: true,
    })),
  )
  const kept = lesson.kept.filter((name) =>
    words.some(({ word }) => name.split(/[_-]/).includes(word)),
  )
  return { words, kept, open: [...open, ...lesson.open] }
}
