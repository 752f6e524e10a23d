/** Tests prompts: a terminal asks for omitted arguments, and the complete line is shown afterwards. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { quoteWord } from '../../src/base/shell-words.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { openScreen, type Screen } from '../support/screen.js'
import { runInShell } from '../support/shell.js'
import { svcctl } from '../support/within.js'

let sandbox: Sandbox
let terminal: Screen | undefined

beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())
afterEach(async () => {
  await terminal?.close()
  terminal = undefined
})

const createEnv = (more: Readonly<Record<string, string>> = {}) => ({
  SVC_CONFIG_DIR: createConfiguration(),
  SVC_BASE_URL: sandbox.url,
  SVC_TOKEN: sandbox.users[0]?.token ?? '',
  ...more,
})

/** Runs a line at a terminal. The last text on the screen is the exit code. */
const openLine = (line: string, more: Readonly<Record<string, string>> = {}): Screen => {
  terminal = openScreen([line], { env: createEnv(more) })
  return terminal
}

describe('at a terminal', () => {
  it('picks several runners from a list that is searched', async () => {
    const screen = openLine('runners pause')
    await screen.until(/shared-macos/)
    screen.type('shared-linux')
    await screen.until((s) => !s.includes('shared-macos'))
    screen.press('Tab')
    await screen.until(/\[x\] 1/)
    screen.press('Down')
    screen.press('Tab')
    await screen.until(/\[x\] 2/)
    screen.press('Enter')
    const end = await screen.until(/exit \d/)
    expect(end).toContain('to repeat this without questions: svcctl runners pause 1 2')
    expect(end).toContain('exit 0')
  })

  it('picks the project first, then what belongs to it', async () => {
    const screen = openLine('integrations get')
    await screen.until(/ben\/app/)
    screen.type('platform/app')
    await screen.until(/❯ platform\/app$/m)
    screen.press('Enter')
    await screen.until(/\[ \] emails-on-push/)
    screen.press('Enter')
    const end = await screen.until(/exit \d/)
    expect(end).toContain('svcctl integrations get emails-on-push --project platform/app')
    expect(end).toContain('exit 0')
  })

  it('names what is to be destroyed, and how many there are', async () => {
    const screen = openLine('deploy-keys delete 1 99 -P platform/app')
    const asked = await screen.until(/Continue\?/)
    expect(asked).toContain(`On ${sandbox.url}, 2 objects:`)
    expect(asked).toContain('  delete deploy key 1 "deploy" of platform/app\n')
    expect(asked).toContain('  delete deploy key 99 of platform/app\n')
    screen.type('n')
    screen.press('Enter')
    expect(await screen.until(/exit \d/)).toContain('exit 2')
  })

  it('asks again for a profile, an address and a token that are not right', async () => {
    const screen = openLine('auth login a/b', { SVC_BASE_URL: '', SVC_TOKEN: '' })
    const answer = (text: string): void => {
      screen.type(text)
      screen.press('Enter')
    }
    await screen.until(/Profile name/)
    answer('test')
    await screen.until(/Base URL of the instance/)
    answer('ftp://svc.example')
    await screen.until(/ftp[\s\S]*\n\? Base URL of the instance\s*$/)
    answer(sandbox.url)
    await screen.until(/Token for/)
    answer('')
    await screen.until(/requires a token\n\? Token for/)
    answer('wrong-token')
    await screen.until((s) => s.split('Token for').length === 4)
    answer(sandbox.users[0]?.token ?? '')
    const end = await screen.until(/exit \d/)
    expect(end).toContain('profile "test" is now the current profile')
    expect(end).toContain('exit 0')
  })

  it('heads the diff of each of several commits', async () => {
    const screen = openLine('commits diff main feature/auto -P platform/app --no-pager')
    const end = await screen.until(/exit \d/)
    expect(end).toMatch(/^commit main\ndiff --git [\s\S]*^commit feature\/auto\ndiff --git /m)
    expect(end).toContain('exit 0')
  })

  it('asks for a token three times', async () => {
    const screen = openLine('auth login', { SVC_TOKEN: '' })
    for (const count of [1, 2, 3]) {
      await screen.until((s) => s.split('Token for').length === count + 1)
      screen.type('wrong-token')
      screen.press('Enter')
    }
    expect(await screen.until(/exit \d/)).toContain('exit 3')
  })

  it('asks what an update is to change, and to what', async () => {
    const screen = openLine('runners update 3')
    await screen.until(/\[ \] active/)
    screen.type('locked')
    await screen.until((s) => !s.includes('[ ] active'))
    screen.press('Enter')
    await screen.until(/Locked\?[\s\S]*❯ true/)
    screen.press('Enter')
    const end = await screen.until(/exit \d/)
    expect(end).toContain('to repeat this without questions: svcctl runners update 3 --locked')
    expect(end).toMatch(/locked +yes/)
  })

  it('keeps no secret that was entered, and says why its run cannot be resumed', async () => {
    const config = createConfiguration()
    const screen = openLine('integrations update slack -P platform/app', {
      SVC_CONFIG_DIR: config,
    })
    await screen.until(/\[ \] /)
    screen.type('webhook')
    await screen.until(/❯ \[ \] webhook/)
    screen.press('Enter')
    await screen.until(/\? Webhook\?/)
    screen.type('https://hooks.example/entered')
    screen.press('Enter')
    await screen.until(/exit \d/)
    const folder = join(config, 'state', 'runs')
    const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.ndjson'))
    const text = readFileSync(join(folder, name), 'utf8')
    expect(text).toContain('"final":"webhook was entered at a prompt"')
    expect(text).not.toContain('hooks.example')
  })

  it('asks in plain, numbered lines with SVC_ACCESSIBLE=1', async () => {
    const screen = openLine('runners get', { SVC_ACCESSIBLE: '1' })
    await screen.until(/3\. 3, shared-macos[\s\S]*:/)
    screen.type('3')
    screen.press('Enter')
    const end = await screen.until(/exit \d/)
    expect(end).toContain('svcctl runners get 3')
  })

  it('leaves with 130 on Ctrl-C', async () => {
    const screen = openLine('runners get')
    await screen.until(/shared-macos/)
    screen.press('C-c')
    await screen.until(/exit 130/)
  })

  it('asks nothing with SVC_NO_PROMPT=1, and nothing in CI', async () => {
    for (const [name, value] of [
      ['SVC_NO_PROMPT', '1'],
      ['CI', 'true'],
    ] as const) {
      const screen = openLine('runners get', { [name]: value })
      const end = await screen.until(/exit \d/)
      expect(end).toContain('needs <id>')
      expect(end).toContain('exit 2')
      await screen.close()
    }
  })
})

/** The line as a person types it, the answers to its questions, and the complete line, which asks nothing. */
const repeated: readonly (readonly [typed: string, answers: readonly string[], line: string])[] = [
  ['deploy-keys delete -P platform/app', ['1', 'n'], 'deploy-keys delete -P platform/app 1 --yes'],
  ['runners pause --no-pager', ['3'], 'runners pause 3 --no-pager'],
  ['issues spend 1 -P platform/app', ['-1h'], 'issues spend 1 -P platform/app -- -1h'],
  ['issues estimate -P platform/app -- 1', ['2h'], 'issues estimate -P platform/app -- 1 2h'],
  [
    'approvals rules create --approvals-required 1 -P web/site',
    ["-it's $HOME"],
    "approvals rules create --approvals-required 1 -P web/site '--name=-it'\\''s $HOME'",
  ],
]

describe('the line that asks nothing', () => {
  it.each(repeated)('of %s runs as it was shown', async (typed, answers, line) => {
    const more = createEnv({ SVC_ACCESSIBLE: '1', SVC_CONFIG_DIR: createConfiguration() })
    terminal = openScreen([typed], { env: more, columns: 200 })
    for (const [i, answer] of answers.entries()) {
      await terminal.until((text) => text.split(/[?:)] *$/m).length > i + 1)
      terminal.type(answer)
      terminal.press('Enter')
    }
    const end = await terminal.until(/exit \d/)
    const [, shown = ''] = /to repeat this without questions: (svcctl .*)/.exec(end) ?? []
    expect(shown, end).toBe(`svcctl ${line}`)
    const ran = await runInShell(shown, { env: createEnv() })
    // The first run has created objects with unique names, so the instance refuses to create them again.
    expect(ran).toMatchObject({ code: typed.includes('create') ? 1 : 0 })
  })
})

describe('in a pipe', () => {
  it('asks nothing', async () => {
    const ran = await svcctl(['runners', 'pause'], { env: createEnv(), input: '1\n' })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('needs <id>')
  })
})

describe('the line that is shown', () => {
  it.each([
    ['platform/app', 'platform/app'],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
    ['$(x)', "'$(x)'"],
    ['', "''"],
  ])('quotes %s', (word, expected) => {
    expect(quoteWord(word)).toBe(expected)
  })
})
