/** Tests the command line of a plan in a real shell: the shell reads what was planned, whatever the values contain. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDataGiven } from '../../src/answer/data-given.js'
import { loadAllCommands } from '../../src/commands/index.js'
import { getOffers, type Offer } from '../../src/commands/mcp/offers.js'
import { formatCommandLine, toLine } from '../../src/commands/mcp/planning.js'
import { Failure } from '../../src/errors.js'
import { createFolder } from '../support/program.js'
import { runProgram } from '../support/starting.js'
import { hasProgram } from '../support/terminal.js'

const offers = getOffers(await loadAllCommands())
const findOffer = (name: string): Offer => {
  const offer = offers.find((one) => one.name === name)
  if (offer === undefined) throw new Error(`there is no ${name}`)
  return offer
}
const formatLine = (name: string, values: Parameters<typeof parseDataGiven>[1]): string => {
  const offer = findOffer(name)
  const given = parseDataGiven(offer.command, values, { note: () => {}, now: new Date() })
  return formatCommandLine(toLine(offer, given).words, [])
}

/** Reads lines in a shell, and returns the arguments that the program would get. */
const read = async (shell: string, lines: readonly string[]): Promise<readonly string[][]> => {
  const script = `svcctl() { printf '%s\\0' "$@"; printf '\\1'; }\n${lines.join('\n')}\n`
  // The shell must not read the user's own ~/.zshenv.
  const env = { ...process.env, LC_ALL: 'C.UTF-8', ZDOTDIR: createFolder() }
  const { stdout } = await runProgram(shell, ['-c', script], { cwd: process.cwd(), env })
  return stdout
    .toString()
    .split('\u0001')
    .slice(0, -1)
    .map((line) => line.split('\0').slice(0, -1))
}

const hostile = [
  "it's",
  '$(touch /tmp/x) `id` $HOME !! \\ "',
  "it's !x\n",
  'two\nlines\tand\r',
  '\u001b[2J',
  '\u007f\u0085\u202e',
  'a\u{e0041}\u200bb',
  '-rf',
  '--yes',
  '--',
  '',
  '~ * ? [a] {a,b} # ; | & < >',
  '@file',
  'env:HOME',
  'é 😀 漢',
  "\\'\n$'",
]
const toUpdateLine = (text: string): string =>
  formatLine('runners update', { id: 1, description: text })

describe('a line', () => {
  it.for(['bash', 'zsh'])('is read by %s as what was asked', async (shell, { skip }) => {
    skip(!hasProgram(shell), `${shell} is not installed`)
    // The filter drops what a word of a shell cannot hold, and the character that ends a line in `read`.
    const any = fc
      .string({ unit: 'binary', maxLength: 20 })
      .filter((text) => !/[\0\p{Cs}]/u.test(text) && !text.includes('\u0001'))
    const texts = [...hostile, ...fc.sample(any, 40)]
    const lines = texts.map(toUpdateLine)
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u202e\u200b\u{e0000}-\u{e007f}]/u)
    const words = await read(shell, lines)
    const values = words.map(([, , , flag, value]) => value ?? flag?.replace('--description=', ''))
    expect(values).toEqual(texts)
  })

  it.each([
    [
      'runners list',
      { instance: true, tag_list: ['a b', 'c'] },
      "runners list --tag-list 'a b,c' --instance",
    ],
    ['runners update', { id: 1, active: false }, 'runners update 1 --no-active'],
    ['mr rebase', { merge_request_iid: 'platform/app!4' }, "mr rebase 'platform/app!4'"],
    ['pages-domains get', { project: 1, domain: '-x' }, 'pages-domains get --project 1 -- -x'],
    ['settings update', { after_sign_out_path: null }, null],
    ['storage-move schedule', { what: 'projects' }, 'storage-move schedule projects'],
    [
      'settings update',
      { spamsvc_api_key: 'secret' },
      'settings update --spamsvc-api-key env:SPAMSVC_API_KEY',
    ],
  ] as const)('of %s with %j', (name, values, line) => {
    if (line === null) expect(() => formatLine(name, values)).toThrow(Failure)
    else expect(formatLine(name, values)).toBe(`svcctl ${line}`)
  })

  it.each([
    ['a list with a comma in it', 'runners list', { tag_list: ['a,b'] }],
    ['what would be a file', 'deploy-keys add', { project: 1, title: 'x', key: '@/etc/passwd' }],
    ['what would be a variable', 'deploy-keys add', { project: 1, title: 'x', key: 'env:HOME' }],
    ['what would be standard input', 'deploy-keys add', { project: 1, title: 'x', key: '-' }],
    ['objects of standard input', 'pages-domains get', { project: 1, domain: '-' }],
    ['what no shell holds', 'runners update', { id: 1, description: 'a\0b' }],
    [
      'NUL or an incomplete character, which no command line can contain',
      'runners update',
      { id: 1, description: 'a\ud83db' },
    ],
    ['more than a person reads', 'runners update', { id: 1, description: 'x'.repeat(9000) }],
  ])('is refused for %s', (_, name, values) => {
    expect(() => formatLine(name, values)).toThrow(Failure)
  })
})
