/**
 * Generates files that are checked in: the tables of the README and the guide, the list of manual pages and the pages of the API;
 * with `man`, the manual pages of the package in dist/man. Run it with `npm run generate`; CI compares the result.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { areas } from '../src/catalogue/index.js'
import { recipes } from '../src/catalogue/recipes.js'
import { renderAreaPage, renderRootPage, renderTopicPage } from '../src/cli/help/man.js'
import { environmentVariables, topics } from '../src/cli/help/topics.js'
import { loadAreaCommands, toolCommands } from '../src/commands/index.js'
import { categoryMeanings, exitCodes } from '../src/errors.js'
import { formats } from '../src/output/formats.js'
import { buildTable } from './markdown.js'
import { buildReferencePages } from './reference.js'

/** Writes a file if its text differs, so that files built from an unchanged one stay newer. */
const writeIfChanged = (path: string, text: string): void => {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}

const buildAreasTable = async (): Promise<string> => {
  const rows = await Promise.all(
    areas.map(async (area) => {
      const verbs = (await loadAreaCommands(area)).map((c) => `\`${c.words}\``)
      return [`\`${area.name}\``, area.summary, verbs.join(', ')]
    }),
  )
  const own = [...new Set(toolCommands.map((c) => c.area))].map((area) => {
    const verbs = toolCommands.filter((c) => c.area === area && c.words !== '')
    return [`\`${area}\``, 'the tool itself', verbs.map((c) => `\`${c.words}\``).join(', ')]
  })
  return buildTable(['area', 'what it is about', 'verbs'], [...rows, ...own])
}

const sections: Readonly<Record<string, () => string | Promise<string>>> = {
  areas: buildAreasTable,
  formats: () =>
    buildTable(
      ['`--output`', 'what it gives'],
      formats.map((f) => [`\`${f.name}\``, f.summary]),
    ),
  'exit-codes': () =>
    buildTable(
      ['exit', 'category', 'meaning'],
      [
        ['0', '', 'done, or nothing to do (304)'],
        ...Object.entries(exitCodes).map(([category, code]) => [
          String(code),
          `\`${category}\``,
          categoryMeanings[category as keyof typeof exitCodes],
        ]),
      ],
    ),
  recipes: () =>
    Object.values(recipes)
      .map(
        ({ job, about, lines }) => `## ${job}\n\n${about}\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\``,
      )
      .join('\n\n'),
  environment: () =>
    buildTable(
      ['variable', 'meaning'],
      Object.entries(environmentVariables).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
}

/** Writes each section between its marks. A mark without a section is an error. */
const updateSections = async (page: string): Promise<void> => {
  const text = readFileSync(page, 'utf8')
  let result = text
  for (const [, name = ''] of text.matchAll(/<!-- generated: ([a-z-]+) -->/g)) {
    const section = sections[name]
    if (section === undefined) throw new Error(`${page} asks for "${name}", which nothing makes`)
    const pattern = new RegExp(`(<!-- generated: ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`)
    const body = await section()
    result = result.replace(pattern, (_, start: string, end: string) => `${start}${body}\n${end}`)
  }
  writeIfChanged(page, result)
}

const names = [...areas.map((a) => a.name), ...new Set(toolCommands.map((c) => c.area))]
const topicNames = Object.keys(topics)
const manFolder = join('dist', 'man')

/** Adds the manual pages to package.json: npm links those that it names. */
const addManuals = (text: string): string => {
  const { directories: _, ...rest } = JSON.parse(text) as Record<string, unknown>
  const pages = [...names.map((name) => `-${name}.1`), ...topicNames.map((name) => `-${name}.7`)]
  const man = ['.1', ...pages].map((name) => `dist/man/svcctl${name}`)
  return `${JSON.stringify({ ...rest, man }, null, 2)}\n`
}

const writeManuals = async (): Promise<void> => {
  mkdirSync(manFolder, { recursive: true })
  writeFileSync(join(manFolder, 'svcctl.1'), await renderRootPage())
  for (const name of names)
    writeFileSync(join(manFolder, `svcctl-${name}.1`), await renderAreaPage(name))
  for (const name of topicNames)
    writeFileSync(join(manFolder, `svcctl-${name}.7`), await renderTopicPage(name))
}

/** Writes all pages, and removes those of areas that no longer exist. */
const writeReference = async (): Promise<void> => {
  const folder = join('src', 'catalogue', 'reference')
  const pages = await buildReferencePages()
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder))
    if (!pages.some((page) => page.name === name)) rmSync(join(folder, name))
  for (const { name, text } of pages) writeIfChanged(join(folder, name), text)
}

if (process.argv.includes('man')) await writeManuals()
else {
  writeIfChanged('package.json', addManuals(readFileSync('package.json', 'utf8')))
  await writeReference()
  const guide = join('.github', 'guide')
  await updateSections('README.md')
  for (const name of readdirSync(guide)) await updateSections(join(guide, name))
}
