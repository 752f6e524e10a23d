/** Processes of the program are started by tests of processes alone: all others run their lines in their own (`support/within.ts`). */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** What starts the program, or has it started, by the helper that exports it. */
const starters: Readonly<Record<string, readonly string[]>> = {
  'support/program': ['program', 'svcctl'],
  'support/shell': ['pathToProgram'],
  'failing/start': ['start'],
  'faults/cell': ['outcomeOf'],
  'faults/matrix': ['runMatrix'],
}

/** The names that a file imports from a helper. */
const importedFrom = (file: string, text: string, helper: string): readonly string[] =>
  [...text.matchAll(/import \{([^}]*)\} from '([^']*)'/g)]
    .filter(([, , from = '']) => join(dirname(file), from) === `${helper}.js`)
    .flatMap(([, names = '']) => names.split(','))
    .map((one) => one.trim().split(' ')[0] ?? '')

const startsProgram = (file: string): boolean => {
  const text = readFileSync(join(root, file), 'utf8')
  return Object.entries(starters).some(([helper, names]) =>
    importedFrom(file, text, helper).some((name) => names.includes(name)),
  )
}

it('start the program in files that are called so', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('executable/'))
    .filter(startsProgram)
  const others = files.filter((file) => !/\.(?:process|browser)\.test\.ts$/.test(file))
  expect(others).toEqual([])
})
