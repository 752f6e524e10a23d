/** Starts the embedded instances of the record, whose clock and random values follow from the entry. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitCommand } from '../../src/base/shell-words.js'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js'
import { loadChecked } from '../../src/vocabulary/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { sampleWords } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'
import type { Entry, Step } from './entries.js'
import { createPinnedRandom } from './random.js'
import type { Clock } from './running.js'

/** The personal access token of the administrator. */
export const token = 'sandbox-root-token'

export interface RunningInstance extends Sandbox {
  /** The state before each entry. */
  initial: ReturnType<Sandbox['double']['snapshot']>
  /** Restarts the random values from a seed. */
  readonly reseed: (text: string) => void
}

const loadWords = () => {
  const file = join(createFolder(), 'words.yml')
  writeFileSync(file, sampleWords)
  return loadChecked(file)
}

/** Returns the start options of an instance by name. Other names have none. */
const getOptions = async (name: string): Promise<Partial<SandboxOptions>> => {
  if (name === 'hold') return { jobs: 'hold' }
  return name === 'words' ? { words: await loadWords() } : {}
}

/** Lines that make the second instance differ from the first. */
const differences = [
  'runners pause 1 2 -q',
  'runners update 5 --description other',
  'settings update --default-projects-limit 7',
]

const changeSecond = async (sandbox: Sandbox, clock: Clock): Promise<void> => {
  const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: token, SVC_CONFIG_DIR: createConfiguration() }
  for (const line of differences)
    await svcctl(splitCommand(line), { env, io: clock.pin(line, false) })
}

const startInstance = async (name: string, clock: Clock): Promise<RunningInstance> => {
  let random = createPinnedRandom(name)
  const options: SandboxOptions = {
    stateDir: createFolder(),
    testable: true,
    now: () => clock.now(),
    randomBytes: (size: number) => random.randomBytes(size),
    speed: Number.POSITIVE_INFINITY,
    ...(await getOptions(name)),
  }
  const sandbox = await startSandbox(options)
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

/** True if an entry may have changed its instance by writes, further rows or faults. */
const isChanged = ({ seed, steps }: Entry, { double }: Sandbox): boolean =>
  seed !== undefined ||
  steps.some(({ faults, keys = [] }: Step) => faults !== undefined || keys.length > 0) ||
  double.requests.some(({ method }) => method !== 'GET')

/** Restores the state of an instance from before an entry. */
export const restoreInstance = async (entry: Entry, instance: RunningInstance): Promise<void> => {
  if (!isChanged(entry, instance)) return
  await instance.double.reset()
  instance.double.restore(instance.initial)
}

/** Starts each instance at its first use. */
export class Instances {
  readonly #started = new Map<string, Promise<RunningInstance>>()

  constructor(
    private readonly clock: Clock,
    /** Called for each instance that was started. */
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
