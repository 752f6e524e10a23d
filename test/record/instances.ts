/** The embedded instances of the record, with its clock and random values that follow from an entry. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processIo, runWithIo } from '../../src/base/io.js'
import { splitCommand } from '../../src/base/shell-words.js'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js'
import { loadChecked } from '../../src/vocabulary/index.js'
import { configuration, folder } from '../support/program.js'
import { words } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'
import type { Entry, Step } from './entries.js'
import { createPinnedRandom } from './random.js'
import type { Clock } from './running.js'

/** The personal access token of the administrator. */
export const token = 'sandbox-root-token'

export interface RunningInstance extends Sandbox {
  /** The state that entries begin with. */
  initial: ReturnType<Sandbox['double']['snapshot']>
  /** Begins what it draws at random anew. */
  readonly reseed: (text: string) => void
}

const loadWords = () => {
  const file = join(folder(), 'words.yml')
  writeFileSync(file, words)
  return loadChecked(file)
}

/** How an instance is started, by its name: the others are like the first. */
const getOptions = async (name: string): Promise<Partial<SandboxOptions>> => {
  if (name === 'hold') return { jobs: 'hold' }
  return name === 'words' ? { words: await loadWords() } : {}
}

/** What the second instance has that the first has not. */
const differences = [
  'runners pause 1 2 -q',
  'runners update 5 --description other',
  'settings update --default-projects-limit 7',
]

const changeSecond = async (sandbox: Sandbox, clock: Clock): Promise<void> => {
  const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: token, SVC_CONFIG_DIR: configuration() }
  for (const line of differences)
    await svcctl(splitCommand(line), { env, io: clock.pin(line, false) })
}

const startInstance = async (name: string, clock: Clock): Promise<RunningInstance> => {
  let random = createPinnedRandom(name)
  const io = Object.create(processIo, {
    randomBytes: { value: (size: number) => random.randomBytes(size) },
  })
  const options: SandboxOptions = {
    stateDir: folder(),
    testable: true,
    now: () => clock.now(),
    speed: Number.POSITIVE_INFINITY,
    ...(await getOptions(name)),
  }
  const sandbox = await runWithIo(io, () => startSandbox(options))
  if (name === 'b') await changeSecond(sandbox, clock)
  const reseed = (text: string): void => {
    random = createPinnedRandom(text)
  }
  return { ...sandbox, initial: sandbox.double.snapshot(), reseed }
}

/** Makes requests to a route fail. */
export const addFault = ({ double }: Sandbox, fault: string): void => {
  const [, route = '', how = '{}'] = /^(\S+ \S+)(?: (.*))?$/.exec(fault) ?? []
  double.fail(route, JSON.parse(how))
}

/** True if an entry may have made an instance another than it was: by writing, by rows beside the sample data, or by faults. */
const isChanged = ({ seed, steps }: Entry, { double }: Sandbox): boolean =>
  seed !== undefined ||
  steps.some(({ faults, keys = [] }: Step) => faults !== undefined || keys.length > 0) ||
  double.requests.some(({ method }) => method !== 'GET')

/** Makes an instance what it was before an entry. */
export const restoreInstance = async (entry: Entry, instance: RunningInstance): Promise<void> => {
  if (!isChanged(entry, instance)) return
  await instance.double.reset()
  instance.double.restore(instance.initial)
}

/** Starts instances when they are first needed. */
export class Instances {
  readonly #started = new Map<string, Promise<RunningInstance>>()

  constructor(
    private readonly clock: Clock,
    /** Told of each that was started. */
    private readonly onStart: (name: string, port: number) => void,
  ) {}

  get(name: string): Promise<RunningInstance> {
    const known = this.#started.get(name) ?? this.#start(name)
    this.#started.set(name, known)
    return known
  }

  async #start(name: string): Promise<RunningInstance> {
    const instance = await startInstance(name, this.clock)
    this.onStart(name, Number(new URL(instance.url).port))
    return instance
  }

  async close(): Promise<void> {
    for (const instance of this.#started.values()) await (await instance).close()
  }
}
