/** "Troubleshooting" of the guide: it has every exit code, and its lines and flags exist in the program. */
import { describe, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { getCommandFlags } from '../../src/engine/command/flags.js'
import { exitCodes } from '../../src/errors.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { readPage } from '../support/pages.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { runLine } from '../support/shell.js'
import { svcctl } from '../support/within.js'

const text = readPage('.github/guide/troubleshooting.md')
const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)
const { url } = useSharedSandbox()

/** True if a line needs a value of the reader, an answer, or another instance. */
const isIncomplete = (line: string): boolean => /<|auth login|--base-url/.test(line)
const lines = [
  ...new Set(spans.filter((span) => span.startsWith('svcctl ') && !isIncomplete(span))),
]

/** Creates a configuration with a profile `prod` for the instance. */
const createProfileEnv = async () => {
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_BASE_URL: url(),
    SVC_TOKEN: 'sandbox-root-token',
  }
  await svcctl(['profile', 'set', 'prod', '--base-url', url()], { env })
  return env
}

describe('Troubleshooting', () => {
  it('has each exit code', () => {
    const rows = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
    expect(rows).toEqual(Object.values(exitCodes))
  })

  it('names flags that commands take', async () => {
    const known = new Set(
      (await loadAllCommands()).flatMap((command) =>
        getCommandFlags(command).flatMap(({ name }) => [`--${name}`, `--no-${name}`]),
      ),
    )
    const named = spans.flatMap((span) => span.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((flag) => !known.has(flag) && flag !== '--help')).toEqual([])
  })

  it.each(lines)('has a line that is understood: %s', async (line) => {
    const env = await createProfileEnv()
    const { code, stderr } = await runLine(line, { env, cwd: createFolder() })
    // Lines about a run, a file or a project that does not exist here may fail with a message about it.
    const expected = /journal show|plan|api projects\/platform\/app/.test(line) ? code : 0
    expect([line, code, stderr]).toEqual([line, expected, expect.anything()])
    expect(stderr).not.toMatch(/unknown (?:option|command|verb)/)
  })
})
