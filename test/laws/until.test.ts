/** The law of waiting: a line that waits for a field that no record has ends at once, also if its list is empty. */
import { describe, expect, it } from 'vitest'
import { insertFlags, splitCommand } from '../../src/base/shell-words.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import { useSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = useSandbox()
// A pipe, a format that an example chooses, and what waits by itself have laws of their own.
const other = /\||serve|--w|-o /

const lines = (await Promise.all((await loadAllCommands()).map(loadExamples))).flatMap((examples) =>
  examples.filter((line) => !other.test(line)).slice(0, 1),
)

describe('--wait-until', () => {
  it.each(lines)('%s', { timeout: 60_000 }, async (line) => {
    const { config, cwd, sandbox } = place()
    const waiting = ['--wait-until', 'no_such_field>0', '--wait-timeout', '1']
    const ran = await svcctl(insertFlags(splitCommand(line), waiting), {
      cwd,
      env: { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token },
    })
    expect(ran.stderr).not.toContain('did not become true')
    if (ran.stderr.includes('no record has')) expect(ran.code).toBe(2)
  })
})
