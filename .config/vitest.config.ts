import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { packedFiles } from './packed-files.mjs'

// Archives of the embedded instance have local times, and the record has their bytes.
process.env.TZ = 'UTC'

/**
 * The test files that take longest, in order of duration. They start first: one that started last would run alone after all others
 * have ended.
 */
const longestTests = [
  'library/packed.process',
  'faults/memory.process',
  'faults/matrix.process',
  'completion/shells.process',
  'pages/pages.browser',
  'pages/hostile.browser',
  'laws/pairs/writing',
  'laws/pairs/documents',
  'laws/pairs/reading',
  'laws/pairs/waiting',
  'habits/habits',
  'record/lines',
  'record/examples',
  'failing/damaged-files',
  'sandbox/pipelines',
  'examples',
  'laws/redo',
  'laws/thrown',
  'sandbox/clients',
  'laws/rows',
  'vocabulary/areas',
  'sandbox/scheduler',
  'recipes',
  'laws/answer-files',
  'laws/texts',
  'faults/apply',
  'commands/snapshot',
  'laws/formats',
  'screens/screens',
  'journeys/ci',
  'journeys/story',
  'faults/escapes-pages',
  'laws/pipes',
  'security/canary',
  'security/planted',
  'commands/journal-undo',
  'commands/journal-undo-apply',
  'readme',
  'laws/incomplete',
  'cli/until',
].map((name) => resolve('test', `${name}.test.ts`))

for (const file of longestTests)
  if (!existsSync(file))
    throw new Error(`.config/vitest.config.ts names ${file}, which is not there`)

/** The order in which projects start: first those that wait for other programs, so that other tests can run meanwhile. */
const projectOrder = ['process', 'browser', 'line', 'unit']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification): number =>
      projectOrder.indexOf(project.name) * longestTests.length +
      (longestTests.includes(moduleId) ? longestTests.indexOf(moduleId) : longestTests.length - 1)
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

const chosenSeed = process.env.SVCCTL_TEST_SEED
if (chosenSeed !== undefined && !/^[1-9]\d{0,8}$/.test(chosenSeed))
  throw new Error('SVCCTL_TEST_SEED is no number from 1 to 999999999')

/** The seed of the property tests. A chosen seed also shuffles files and tests, and Vitest prints it. */
const sequence =
  chosenSeed === undefined
    ? { sequencer: LongestFirst, seed: 1 }
    : { shuffle: { files: true, tests: true }, seed: Number(chosenSeed) }

const { version, bugs } = JSON.parse(readFileSync('package.json', 'utf8'))

const sources = join(import.meta.dirname, '..', 'src', '/')
const processes = 'test/**/*.process.test.ts'
const browsers = 'test/**/*.browser.test.ts'
/** Folders of tests that run no command line. */
const modules = [
  'base',
  'catalogue',
  'client',
  'desired',
  'engine/where',
  'engine/work',
  'http',
  'output',
  'profile',
  'terminal',
  'wire',
].map((folder) => `test/${folder}/**/*.test.ts`)
/** Excludes the tests of executables, unless SVCCTL_EXECUTABLE names one, as in `.ci/run`. */
const executables = process.env.SVCCTL_EXECUTABLE === undefined ? ['test/executable/**'] : []

/**
 * Makes each `import('…')` of the sources ask Vite's module runner only once. The runner visits all importers of a module for each
 * import, whereas Node looks into a table, and a line imports some fifty modules in this way.
 */
const importOnce = {
  name: 'import-once',
  enforce: 'post' as const,
  transform: (code: string, id: string) => {
    if (!id.startsWith(sources)) return undefined
    let count = 0
    const once = code.replace(/\bimport\("[^"]+"\)/g, (found) => `(__once${count++} ??= ${found})`)
    const names = Array.from({ length: count }, (_, i) => `__once${i}`)
    return count === 0 ? undefined : { code: `${once}\nvar ${names.join(', ')};`, map: null }
  },
}

/** Creates a project, a part of the tests that can run by itself: `npm test -- --project line`. */
const createProject = (name: string, include: string[], exclude: string[] = []) => ({
  // The bundler's definitions, because lines in the process of a test run the sources.
  plugins: [importOnce, packedFiles],
  define: { SVCCTL_VERSION: JSON.stringify(version), SVCCTL_BUGS: JSON.stringify(bugs.url) },
  test: {
    name,
    include,
    exclude: [...exclude, ...executables],
    setupFiles: ['test/support/file.ts'],
    // Without this, Vitest loads each style sheet as an empty text, and pages are tested without their style.
    css: true,
    pool: 'forks' as const,
    // Objects of a line soon become garbage. In a small young generation, V8 would copy them.
    execArgv: ['--require', join(import.meta.dirname, 'measured.cjs'), '--max-semi-space-size=64'],
    // Files share the modules that they load; the state of a line is in its `Io`.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})

export default defineConfig({
  test: {
    globalSetup: ['.config/build-once.ts', 'test/support/run.ts'],
    // Three more than there are cores: tests wait for programs that they started, and for time to pass.
    maxWorkers: availableParallelism() + 3,
    sequence,
    projects: [
      createProject('unit', modules, [processes, browsers]),
      createProject('line', ['test/**/*.test.ts'], [...modules, processes, browsers]),
      createProject('process', [processes]),
      createProject('browser', [browsers]),
    ],
  },
})
