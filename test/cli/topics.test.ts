/** Topics of help: pages of the guide, and the nearest of them. */
import { expect, it } from 'vitest'
import { renderRootPage, renderTopicPage } from '../../src/cli/help/man.js'
import { topics } from '../../src/cli/help/topics.js'
import { svcctl } from '../support/within.js'

it.each([
  ['where', '--where'],
  ['many-objects', '--all-projects'],
  ['as-code', 'svcctl drift'],
  ['journal', 'svcctl journal undo last'],
  ['instances', '--all-profiles'],
  ['agents', 'mcp serve'],
  ['real-instances', 'vocabulary'],
  // The cells of a table after the first are one text.
  ['troubleshooting', 'the line is wrong; nothing was sent; follow the hint'],
])('help %s is a page of the guide, without marks of Markdown', async (topic, says) => {
  const { code, stdout } = await svcctl(['help', topic])
  expect(code).toBe(0)
  expect(stdout).toContain(says)
  expect(stdout).not.toMatch(/^#|^```|^<!--|\]\(\w+\.md|^\|/m)
})

it('is a manual page of chapter 7 for each topic, which svcctl(1) names', async () => {
  const root = await renderRootPage()
  for (const [name, { summary }] of Object.entries(topics)) {
    const manual = await renderTopicPage(name)
    const roff = (text: string) => text.replaceAll('-', '\\-')
    expect(manual).toContain(`.TH ${roff(`svcctl-${name}`).toUpperCase()} 7\n`)
    expect(manual).toContain(`\\- ${roff(summary)}\n`)
    expect(manual.split('\n').length).toBeGreaterThan(8)
    expect(root).toContain(`.BR svcctl\\-${roff(name)} (7)`)
  }
})
