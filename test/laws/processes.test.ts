/** Only process tests start the program as a process; all other tests run their lines in their own process (`support/within.ts`). */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Functions that start the program as a process, by the helper that exports them. */
const starters: Readonly<Record<string, readonly string[]>> = {
  'support/program': ['program', 'svcctl'],
  'support/shell': ['pathToProgram'],
  'failing/start': ['start'],
  'faults/cell': ['runCell'],
  'faults/matrix': ['runMatrix'],
}

/** Lists the names that a file imports from a helper. */
const listImports = (file: string, text: string, helper: string): readonly string[] =>
  [...text.matchAll(/import \{([^}]*)\} from '([^']*)'/g)]
    .filter(([, , from = '']) => join(dirname(file), from) === `${helper}.js`)
    .flatMap(([, names = '']) => names.split(','))
    .map((one) => one.trim().split(' ')[0] ?? '')

const isStarter = (file: string): boolean => {
  const text = readFileSync(join(root, file), 'utf8')
  return Object.entries(starters).some(([helper, names]) =>
    listImports(file, text, helper).some((name) => names.includes(name)),
  )
}

it('start the program in files that are called so', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('executable/'))
    .filter(isStarter)
  const others = files.filter((file) => !/\.(?:process|browser)\.test\.ts$/.test(file))
  expect(others).toEqual([])
})
