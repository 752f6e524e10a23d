/** Questions of the real program at a real terminal, left without an answer. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, program } from '../support/program.js'
import { recording } from '../support/recorder.js'
import { has, openTerminal } from '../support/terminal.js'

const server = recording()

const questions: Readonly<Record<string, readonly [line: string, asked: RegExp]>> = {
  'a confirmation': ['deploy-keys delete 7 -P 1', /\(y\/N\)/],
  'a name to be typed': ['-p guarded deploy-keys delete 7 -P 1', /Type the name/],
  'a value': ['deploy-keys add -P 1', /Title|title/],
  'a value from a list': ['members add 7 -P 1', /developer/],
  'several values from a list': ['runners update 7', /attributes/i],
  'a secret': ['auth login other', /Token/],
  'an address': ['auth login other', /[Aa]ddress/],
}

describe.skipIf(!has('tmux', '-V'))('Ctrl-D', () => {
  it.each(Object.entries(questions))('at %s is an interruption', async (name, [line, asked]) => {
    const config = folder()
    const profile = { baseUrl: server.url, protected: true }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles: { guarded: profile } }))
    const terminal = openTerminal(
      ['sh', '-c', `${process.execPath} ${program} ${line}; echo "exit $?"; sleep 600`],
      {
        cwd: folder(),
        env: {
          SVC_CONFIG_DIR: config,
          SVC_TOKEN: 'any',
          SVC_NO_KEYRING: '1',
          SVC_BASE_URL: name === 'an address' ? '' : server.url,
        },
      },
    )
    try {
      await terminal.until(asked)
      terminal.press('C-d')
      const screen = await terminal.until(/^exit \d+/m)
      expect(screen).toMatch(/^exit 130$/m)
      expect(screen).toMatch(/svcctl: interrupted: the question was left without an answer/)
      expect(server.lines().filter((asking) => !asking.startsWith('GET'))).toEqual([])
    } finally {
      await terminal.close()
    }
  })
})
