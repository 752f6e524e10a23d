import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { processIo } from '../../src/base/io.js'
import { ClosedPipe } from '../../src/errors.js'
import { openPager, parsePager } from '../../src/terminal/pager.js'
import { openStdout } from '../../src/terminal/stdout.js'
import { createFakeScreen } from './streams.js'

const dir = mkdtempSync(join(tmpdir(), 'svcctl-pager-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const open = (pager: string, rows = 3) => {
  const screen = createFakeScreen()
  const stdout = openPager({
    io: processIo,
    stdout: openStdout(processIo, screen),
    rows,
    columns: 10,
    env: { PATH: process.env.PATH, SVC_PAGER: pager },
  })
  return { screen, stdout }
}

describe('the pager', () => {
  it.each([
    [{}, ['less', '-FRX']],
    [{ PAGER: 'less -S' }, ['less', '-S']],
    [{ PAGER: '/usr/bin/less' }, ['/usr/bin/less', '-FRX']],
    [{ PAGER: 'less', SVC_PAGER: 'most -x' }, ['most', '-x']],
    [{ PAGER: 'less', SVC_PAGER: '' }, undefined],
    [{ PAGER: 'cat' }, undefined],
  ])('of %j is %j', (env, expected) => {
    expect(parsePager(env)).toEqual(expected)
  })
  it('is split into words, quotes kept together, no shell', () => {
    expect(parsePager({ PAGER: `'my pager' --title="a b" $(rm) ; x` })).toEqual([
      'my pager',
      '--title=a b',
      '$(rm)',
      ';',
      'x',
    ])
  })
  it('is none where its quotes do not end', () => {
    expect(parsePager({ PAGER: "less 'x" })).toBeUndefined()
  })
  it('is not started for what fits on the screen', async () => {
    const { screen, stdout } = open('/nonexistent/pager')
    await stdout.write('a\nb\n')
    expect(screen.text()).toBe('')
    await stdout.end()
    expect(screen.text()).toBe('a\nb\n')
  })
  it('counts the rows that long lines take', async () => {
    const { screen, stdout } = open('/nonexistent/pager')
    await stdout.write(`${'x'.repeat(25)}\n`)
    await stdout.end()
    expect(screen.text()).toBe(`${'x'.repeat(25)}\n`)
  })
  it('gets everything, and is waited for', async () => {
    const file = join(dir, 'paged')
    const { screen, stdout } = open(`dd 'of=${file}' status=none`)
    for (let i = 0; i < 5000; i++) await stdout.write(`line ${i}\n`)
    await stdout.end()
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(5001)
    expect(screen.text()).toBe('')
  })
  it('that is left early is a closed pipe', async () => {
    const { stdout } = open('true')
    const writing = async (): Promise<void> => {
      for (let i = 0; i < 5000; i++) await stdout.write(`${'x'.repeat(1000)}\n`)
      await stdout.end()
    }
    await expect(writing()).rejects.toBeInstanceOf(ClosedPipe)
    await expect(stdout.end()).rejects.toBeInstanceOf(ClosedPipe)
  })
  it('that cannot be started is done without', async () => {
    const { screen, stdout } = open('/nonexistent/pager')
    await stdout.write('a\nb\nc\nd\n')
    await stdout.end()
    expect(screen.text()).toBe('a\nb\nc\nd\n')
  })
})
