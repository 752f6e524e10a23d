/** "Coming from" of the guide: runs each svcctl line of its tables on an embedded instance, in the order of the page. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPage } from '../support/pages.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { runLine } from '../support/shell.js'

const text = readPage('.github/guide/coming-from.md')
const sections = text
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = ''] = section.split('\n')
    const lines = [...section.matchAll(/^\|.* \| `(svcctl .*?)` \|$/gm)].map(
      ([, line = '']) => line,
    )
    return { title, lines }
  })

/** Lines that end with another exit code than 0, with that code. */
const endings: Readonly<Record<string, number>> = {}

const cwd = createFolder()
writeFileSync(join(cwd, '.gitlab-ci.yml'), 'build:\n  script: [make]\n')
const env = { SVC_SANDBOX: '1', SVC_CONFIG_DIR: createConfiguration() }

it('has a table for each tool, and a line of svcctl in each row', () => {
  expect(sections.map(({ title }) => title)).toEqual([
    'glab',
    'The Terraform provider',
    'gitlabform',
    'python-gitlab',
    'curl',
  ])
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/\| svcctl \|$/.test(line))
  expect(sections.flatMap(({ lines }) => lines)).toHaveLength(rows.length)
})

describe.each(sections)('$title', ({ lines }) => {
  it.each(lines)('%s', async (line) => {
    const { code, stderr } = await runLine(line, { cwd, env })
    expect([line, code, stderr]).toEqual([line, endings[line] ?? 0, expect.anything()])
  })
})
