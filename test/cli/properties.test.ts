import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Endpoint, endpoint, many } from '../../src/catalogue/endpoint.js'
import { list, string } from '../../src/catalogue/params.js'
import { Unknown } from '../../src/catalogue/shapes/common.js'
import { parseTokens } from '../../src/cli/words/tree.js'
import { loadAllCommands } from '../../src/commands/index.js'
import { getCommandFlags } from '../../src/engine/command/flags.js'
import { parseGiven } from '../../src/engine/plan/given.js'
import { parseValue } from '../../src/engine/plan/parse-values.js'
import { Failure } from '../../src/errors.js'
import { buildHeaders } from '../../src/http/headers.js'
import { buildRequest } from '../../src/http/request/request.js'
import { decodeForm } from '../../src/sandbox/check.js'
import { countDraws } from '../support/draws.js'
import { emptySources } from '../support/sources.js'

/** Unicode texts that can occur in an argument. Special characters occur more often than by chance. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[/.%?#&+=[\]\r\n\t;,: @\\'"{}!$-]{0,10}$/),
    fc.constantFrom('../..', '%2e%2e', '-', '--', '--sudo=1', 'constructor', '__proto__', '\u202e'),
  )
  .filter((t) => Buffer.from(t).toString() === t && !t.includes('\u0000'))
const nonBlank = text.filter((t) => t.trim() !== '' && !t.includes(','))

/** Parses a command line. Returns undefined for a usage error; any other error fails the test. */
const parseArguments = async (argv: readonly string[]) => {
  try {
    const line = await parseTokens(argv, {})
    return line.kind === 'run' ? await parseGiven(line.command, line.raw, emptySources) : undefined
  } catch (error) {
    if (error instanceof Failure && error.category === 'usage') return undefined
    throw error
  }
}

describe('the argument grammar', () => {
  it('understands any line, or says what is wrong with it', async () => {
    const commands = await loadAllCommands()
    const line = fc.constantFrom(...commands).chain((command) => {
      const flags = getCommandFlags(command).map(({ name }) => `--${name}`)
      const token = fc.oneof(text, fc.constantFrom(...flags), fc.nat({ max: 99 }).map(String))
      const joined = fc.tuple(fc.constantFrom(...flags), text).map(([flag, t]) => `${flag}=${t}`)
      const rest = fc.array(fc.oneof(token, joined), { maxLength: 6 })
      return rest.map((tokens) => [command.area, ...command.words.split(' '), ...tokens])
    })
    // Arguments that read files or variables are left out.
    const plain = line.filter((tokens) => !tokens.some((t) => /^(@|env:)|=(@|env:)/.test(t)))
    await fc.assert(
      fc.asyncProperty(plain, async (argv) => {
        await parseArguments(argv)
      }),
      { numRuns: countDraws(300) },
    )
  })

  it('takes a flag’s text exactly as it was given', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (description) => {
        const given = await parseArguments([
          'runners',
          'update',
          '7',
          `--description=${description}`,
        ])
        expect(given?.flags.description).toBe(description)
      }),
    )
  })

  it('takes whatever follows -- for an argument', async () => {
    await fc.assert(
      fc.asyncProperty(
        text.filter((t) => t !== '-' && t.trim() !== ''),
        async (key) => {
          const line = ['resource-groups', 'update', '-P', '1', '--process-mode', 'unordered']
          const given = await parseArguments([...line, '--', key])
          if (given !== undefined) expect(JSON.stringify(given)).toContain(JSON.stringify(key))
          if (given !== undefined) expect(Object.keys(given.flags)).not.toContain('sudo')
        },
      ),
    )
  })
})

const params = {
  search: string('s'),
  names: list('string', 'n'),
  labels: list('string', 'l', { join: 'comma' }),
}
const find: Endpoint = endpoint('GET /things', many(Unknown()), {
  summary: 's',
  command: 'c',
  path: {},
  params,
})

describe('what a flag says', () => {
  it('arrives in the query as it was meant', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(nonBlank, { minLength: 1, maxLength: 4 }),
        fc.array(nonBlank, { minLength: 1, maxLength: 4 }),
        (search, names, labels) => {
          const values = {
            search: parseValue(params.search, [search], '--search', { now: new Date() }),
            names: parseValue(params.names, names, '--names', { now: new Date() }),
            labels: parseValue(params.labels, labels, '--labels', { now: new Date() }),
          }
          const { path } = buildRequest({ endpoint: find, values })
          expect(path).toMatch(/^\/things\?[!-~]*$/)
          const sent = decodeForm(path.slice(path.indexOf('?') + 1))
          const trimmed = (texts: readonly string[]) => texts.map((t) => t.trim())
          expect({ ...sent }).toEqual({
            search,
            names: trimmed(names),
            labels: trimmed(labels).join(','),
          })
        },
      ),
    )
  })

  it('adds no header and no line to one', () => {
    fc.assert(
      fc.property(text, text, (sudo, value) => {
        const request = { method: 'GET', path: '/x', headers: { range: value } }
        const sender = { userAgent: 'svcctl', sudo, trusted: true }
        try {
          const sent = buildHeaders(request, sender)
          for (const line of Object.values(sent)) expect(line).not.toMatch(/[\r\n]/)
          expect(sent.sudo ?? '').toBe(sudo)
          const known = ['accept', 'accept-encoding', 'range', 'sudo', 'user-agent']
          expect(known).toEqual(expect.arrayContaining(Object.keys(sent)))
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          expect(error.category).toBe('usage')
        }
      }),
    )
  })
})
