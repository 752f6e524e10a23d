/** Time grows with the length of what an instance sends, and not with its square: a run of one character, in every format. */
import { expect, it } from 'vitest'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'
import { printValues, wholeFormats } from './open.js'

const repeated = [
  ...['a', '0', '/', ':', '@', '-', '_', ' ', '\n', '\\', '"', '漢', '\u0301', '\u001b'],
  ...['?token=;', 'a:', 'a ', '//a@', 'connectionstring', '- [ ] a\n'],
]

/** Runs as they are, and where an address begins and who logs in ends. */
const records = repeated.map((part, i) => {
  const run = part.repeat(100_000 / part.length)
  return { id: i + 1, iid: i + 1, project_id: 1, title: run, description: `/${run}@` }
})

const recorder = useRecorder()

it.each(wholeFormats)('ends as %s', async (format) => {
  recorder.answer = () => ({ body: records })
  const line = ['issues', 'list', '-o', format, '--fields', 'id,title,description']
  const { code, stdout, stderr } = await svcctl(line, {
    env: { SVC_BASE_URL: recorder.url, SVC_TOKEN: 'glpat-0123456789' },
  })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.length).toBeGreaterThan(repeated.length * 200_000 * 0.9)
})

it.each(repeated)('wraps %j at a terminal', async (part) => {
  const run = part.repeat(10_000 / part.length)
  const text = await printValues('table', [{ title: run, description: `/${run}@` }], {
    terminal: true,
    many: false,
  })
  expect(text).toContain('description')
})
