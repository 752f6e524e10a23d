/** "Your first hour" of the guide: runs every line on an embedded instance and compares the output with the page. `-u` updates the page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { openScreen } from '../support/screen.js'

const page = join(import.meta.dirname, '../../.github/guide/first-hour.md')
const getFixedTime = () => new Date('2026-11-20T12:00:00Z')
const block = /```console\n\$ (.*)\n[\s\S]*?```/g

/** A help topic indents the output, and has 80 columns. */
const columns = 76

/** Replaces a path that the screen may have broken anywhere. */
const replacePath = (text: string, path: string, by: string): string => {
  const letters = [...path].map((letter) => letter.replace(/[^\w/-]/, '\\$&'))
  return text.replace(new RegExp(letters.join('\\n?'), 'g'), by)
}

it('has what each line prints', { timeout: 120_000 }, async () => {
  const sandbox = await startSandbox({
    stateDir: createFolder(),
    now: getFixedTime,
    speed: Number.POSITIVE_INFINITY,
  })
  const env = {
    SVC_BASE_URL: sandbox.url,
    SVC_TOKEN: 'sandbox-root-token',
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_PAGER: '',
  }
  const cwd = createFolder()
  /** Replaces the folders of the test by those of a user. */
  const rename = (text: string): string =>
    replacePath(
      replacePath(text, `${cwd}/`, ''),
      join(env.SVC_CONFIG_DIR, 'state'),
      '~/.local/state/svcctl',
    )
      .replaceAll(/~\/[^ ]*?\.ndjson/gs, (path) => path.replaceAll('\n', ''))
      .replaceAll(': 1\nwritten', ': 1 written')
  const look = async (line: string): Promise<string> => {
    const words = line.replace(/^svcctl /, '')
    const screen = openScreen([words], { rows: 200, columns, env, cwd, now: getFixedTime })
    try {
      const code = await screen.ended
      expect([line, code]).toEqual([line, line.includes(' check ') ? 1 : 0])
      const lines = (await screen.screen()).trimEnd().split('\n').slice(0, -1)
      return rename([...lines, ...(code === 0 ? [] : [`(exit code ${code})`])].join('\n'))
    } finally {
      await screen.close()
    }
  }
  try {
    let text = readFileSync(page, 'utf8')
    const lines = [...text.matchAll(block)].map(([, line = '']) => line)
    expect(lines.length).toBeGreaterThan(15)
    const printed: string[] = []
    for (const line of lines) {
      const shown = await look(line)
      printed.push(`\`\`\`console\n$ ${line}\n${shown === '' ? '' : `${shown}\n`}\`\`\``)
    }
    text = text.replace(block, () => printed.shift() ?? '')
    await expect(text).toMatchFileSnapshot(page)
  } finally {
    await sandbox.close()
  }
})
