/** What ends is looked at as it ended, whoever started it. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { folder } from './program.js'
import { started } from './starting.js'

const cwd = folder()
const env = { PATH: process.env.PATH, WORD: 'word' }

// What runs is found in /proc.
const onLinux = it.skipIf(!existsSync('/proc/self/fd'))

describe('a program that is started for a test', () => {
  it('has its folder, its variables and its input, and no others', async () => {
    const lines = 'pwd; env | grep -c =; echo "$WORD"; cat; echo no >&2; exit 3'
    const ran = await started('sh', ['-c', lines], { cwd, env, input: 'given' })
    const bare = await started('env', [], { cwd, env })
    expect([ran.code, ran.signal, ran.stderr.toString()]).toEqual([3, null, 'no\n'])
    expect(ran.stdout.toString()).toMatch(new RegExp(`^${cwd}\\n\\d+\\nword\\ngiven$`))
    expect(ran.all.toString()).toBe(`${ran.stdout}no\n`)
    expect(bare.stdout.toString().trim().split('\n').sort()).toEqual(
      Object.entries(env).map(([name, value]) => `${name}=${value}`),
    )
  })

  onLinux('reads nothing where it is given nothing', async () => {
    const { stdout } = await started('sh', ['-c', 'readlink /proc/self/fd/0; cat'], { cwd, env })
    expect(stdout.toString()).toBe('/dev/null\n')
  })

  it('is told of where a signal ended it, and where it is not there', async () => {
    const { code, signal } = await started('sh', ['-c', 'kill -9 $$'], { cwd, env })
    expect([code, signal]).toEqual([null, 'SIGKILL'])
    await expect(started('no-such-program', [], { cwd, env })).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })

  it('runs beside others', async () => {
    const texts = ['one', 'two', 'three']
    const all = await Promise.all(texts.map((input) => started('cat', [], { cwd, env, input })))
    expect(all.map(({ stdout }) => stdout.toString())).toEqual(texts)
  })

  onLinux('is git as an embedded instance has it', async () => {
    const line = [
      '-c',
      'alias.who=!tr "\\0" " " < /proc/$(cut -d" " -f4 /proc/$PPID/stat)/cmdline',
      'who',
    ]
    const said = await new Promise((resolve) => {
      execFile('git', line, { cwd, env: process.env }, (error, stdout) => resolve(error ?? stdout))
    })
    expect(said).toContain('starter.cjs')
  })
})
