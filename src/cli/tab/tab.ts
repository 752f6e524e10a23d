/** `svcctl __complete <shell> -- <words>`: what the shells' scripts ask. Says nothing but candidates. */
import { answerAtOnce } from '../../terminal/streams/standard.js'
import type { Candidate } from './candidates.js'
import { complete } from './complete.js'
import { liveValues } from './live.js'

/** Characters that mean nothing to any shell: whatever holds another is left out. */
const harmless = /^[\p{L}\p{N}@%+=:,./_-]+$/u
const plain = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()

const line = ({ value, text }: Candidate): string => {
  const about = text === undefined ? '' : plain(text)
  return about === '' ? value : `${value}\t${about}`
}

/** Prints candidates, a line each, and the directive; failures of any kind yield nothing. */
export const answerTab = async (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
  const at = argv.indexOf('--')
  const words = at < 0 ? [] : argv.slice(at + 1)
  const found = await complete(words.length === 0 ? [''] : words, liveValues(env))
  const lines = found.items.filter((c) => c.own === true || harmless.test(c.value)).map(line)
  answerAtOnce([...lines, found.files === true ? ':file' : ':none', ''].join('\n'))
}
