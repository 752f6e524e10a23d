/** The pages of the API are what the catalogue says, and say all of it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildReferencePages } from '../../.config/reference.js'
import { areas } from '../../src/catalogue/index.js'

const folder = join(import.meta.dirname, '../../src/catalogue/reference')
const pages = await buildReferencePages()
const endpoints = (
  await Promise.all(
    areas.map(async ({ name, load }) =>
      Object.values(await load()).map((endpoint) => [endpoint.route, name, endpoint] as const),
    ),
  )
).flat()

it('are checked in as they are made, a page an area and one of what they share', () => {
  expect(pages.map(({ name }) => name)).toHaveLength(areas.length + 1)
  expect(readdirSync(folder).sort()).toEqual(pages.map(({ name }) => name).sort())
  for (const { name, text } of pages)
    expect(readFileSync(join(folder, name), 'utf8'), 'run: npm run generate').toBe(text)
})

describe('each endpoint', () => {
  it('is one of those that are looped over', () => {
    expect(endpoints.length).toBeGreaterThan(125)
  })

  it.each(endpoints)('%s has its part in %s.md', (route, area, endpoint) => {
    const text = pages.find(({ name }) => name === `${area}.md`)?.text ?? ''
    const [, part = ''] = `${text}\n## `.split(`\n## \`${route}\`\n`)
    const own = part.slice(0, part.indexOf('\n## '))
    expect(own).toContain(`\`svcctl ${area} ${endpoint.command}`)
    for (const fact of [endpoint.access, endpoint.destructive, ...(endpoint.notes ?? [])])
      expect(own).toContain(fact ?? '')
    for (const [name, param] of Object.entries({ ...endpoint.path, ...endpoint.params })) {
      const row = own.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
      for (const said of [
        param.help,
        param.default,
        param.edition,
        param.deprecated,
        ...(param.type === 'enum' ? param.values : []),
      ])
        expect(row).toContain(String(said ?? '').replaceAll('|', '\\|'))
    }
  })
})
