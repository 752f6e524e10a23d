/** Tests the tool's own tables on a terminal of 80 columns, where each record is one line, and its pages on one of 40. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { openScreen, type ScreenLine } from '../support/screen.js'

const cwd = createFolder()
writeFileSync(
  join(cwd, 'policy.yml'),
  [
    'policy: 1',
    'rules:',
    '  - name: no-runner-that-has-been-offline-for-a-long-time',
    '    list: runners list --instance',
    '    where: status=offline',
    '    message: runner {description} is offline, and its description does not name who looks after it',
    '',
  ].join('\n'),
)

/** Returns the rows of the screen after lines at a terminal. */
const readRows = async (lines: readonly ScreenLine[], columns = 80): Promise<readonly string[]> => {
  const env = { SVC_SANDBOX: '1', SVC_PAGER: 'cat' }
  const screen = openScreen(lines, { rows: 300, columns, env, cwd })
  try {
    await screen.ended
    // The last line is the exit code.
    return (await screen.screen()).trimEnd().split('\n').slice(0, -1)
  } finally {
    await screen.close()
  }
}

describe('a terminal of 80 columns', () => {
  it('has a line a profile', async () => {
    const [head, ...rows] = await readRows(['auth status'])
    expect(head?.split(/ +/)).toEqual(['profile', 'works', 'host', 'user'])
    expect(rows[0]).toMatch(/ yes {4}127\.0\.0\.1:\d+ +root, administrator, scopes/)
    expect(rows).toHaveLength(1)
  })

  it('has a line a run', async () => {
    const lines = await readRows(['runners pause 1 999 2 -q', 'journal list'])
    const at = lines.findIndex((line) => /^id +end +outcome/.test(line))
    expect(lines.slice(at + 1)).toEqual([
      expect.stringMatching(/^\w+-runners-pause +completed +2 done, 1 failed$/),
    ])
  })

  it('has a line a command', async () => {
    const [head, ...rows] = await readRows(['commands'])
    expect(head?.split(/ +/)).toEqual(['command', 'summary'])
    for (const row of rows) expect(row).toMatch(/^[a-z][\w -]* {2}\S/)
    expect(rows.length).toBeGreaterThan(140)
  })

  it('has a line a finding as a table, and else what it says below it', async () => {
    const table = await readRows(['check policy policy.yml -o table'])
    const findings = table.filter((line) => line.includes('runners/'))
    expect(findings.length).toBeGreaterThan(1)
    for (const line of findings) expect(line).toMatch(/^runners\/\d+ .* error +runner .*no-runner/)
    expect(table.length).toBe(findings.length + 1)
    const plain = await readRows(['check policy policy.yml'])
    expect(plain[0]).toMatch(/^error no-runner-\S+ runners\/\d+:$/)
    expect(plain[1]).toMatch(/^ {2}runner .* is offline, and its description does not name/)
  })
})

describe('a terminal of 40 columns', () => {
  it('has a text below its line where little is left beside it, and not a word a line', async () => {
    const rows = await readRows(['overview --parts runners,replication'], 40)
    expect(rows.map((row) => row.trim())).toContain('1 online, 1 offline, 1 paused')
    expect(rows.filter((row) => /^ +\w{1,2}$/.test(row))).toEqual([])
  })
})
