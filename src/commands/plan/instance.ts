/**
 * Provides the instance of a run to the code of declared state, and the secrets of the run. Code that only gets the readable instance
 * cannot write.
 */

import { type Fields, isObject } from '../../base/objects.js'
import { loadProgramRunner } from '../../base/processes.js'
import { type HeldText, holdText } from '../../base/secrets/redact.js'
import { toDocumented } from '../../catalogue/words.js'
import { defaultTimeout, largestPage } from '../../client/defaults.js'
import { SecretRecord, SecretValues } from '../../desired/applying/secrets.js'
import type { SecretsPolicy } from '../../desired/diff/context.js'
import type { ReadableInstance, WritableInstance } from '../../desired/state.js'
import type { Context, InstanceService } from '../../engine/command/context.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { Failure, usage } from '../../errors.js'
import type { Ask, WholeAnswer } from '../../http/types.js'
import { getPaths } from '../../profile/index.js'

interface Run {
  readonly instance: Pick<InstanceService, 'collect' | 'each' | 'send'>
}

const toRecords = (values: readonly unknown[], { endpoint: { route } }: Ask): readonly Fields[] => {
  const records = values.filter(isObject)
  if (records.length === values.length) return records
  throw new Failure('unreachable', 'the list contains an item that is not an object', {
    request: route,
    hint: 'Check the base URL and any proxy in front of the instance.',
  })
}

/** Translates an answer to the documented names, which the files use as well. */
const toDocumentedAnswer = (answer: WholeAnswer): WholeAnswer => ({
  ...answer,
  data: toDocumented(answer.data),
})

/**
 * Creates the read-only interface of the instance.
 * @param onProgress called for each request, including each page of a list
 */
export const toReadable = (
  { instance }: Run,
  onProgress: () => void = () => {},
): ReadableInstance => {
  const records: ReadableInstance['records'] = async (ask, wanted = () => true) => {
    let count = 0
    // Items that are not records are kept, so that `toRecords` detects them.
    const where = (record: unknown): boolean => {
      count += 1
      if (count > 1 && count % largestPage === 1) onProgress()
      return !isObject(record) || wanted(record)
    }
    onProgress()
    const found = await instance.collect(ask, { whole: true, where })
    return toRecords(found.map(toDocumented), ask)
  }
  return {
    get: async (ask) => {
      onProgress()
      return toDocumentedAnswer(await instance.send(ask))
    },
    records,
    each: (items, work) => instance.each(items, work),
  }
}

/** Creates the interface of the instance for reading and writing. */
export const toWritable = (run: Run): WritableInstance => ({
  ...toReadable(run),
  send: async (ask) => toDocumentedAnswer(await run.instance.send(ask)),
})

// The secrets of a run: whether each is available, and whether it changed since it was last set.

const maxOutput = 1 << 20

/**
 * Runs a program without a shell, and returns its output as the secret.
 * @throws Failure `usage` if it fails
 */
const runSecretCommand = async (
  [program = '', ...args]: readonly string[],
  { place }: Pick<Context, 'place'>,
): Promise<HeldText> => {
  const run = await loadProgramRunner()
  const limit = place.globals.timeout ?? defaultTimeout
  const { exitCode, timedOut, stdout } = await run(program, args, place.env, {
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: limit * 1000,
    forceKillAfterDelay: 1000,
    maxBuffer: maxOutput,
    windowsHide: true,
    cancelSignal: place.clock.signal,
    cwd: place.cwd,
  })
  if (exitCode === 0) return holdText(stdout)
  const why = timedOut
    ? `did not end within ${limit} s`
    : `ended with exit code ${exitCode ?? 'unknown'}`
  throw usage(`the command ${program} ${why}`)
}

/** Creates the readers of secrets: their values, and the record of those that were set. */
export const readSecrets = async (context: Context, set: SecretsPolicy['set']) => {
  const { place } = context
  const values = new SecretValues({
    env: place.env,
    cwd: place.cwd,
    command: (line) => runSecretCommand(line, context),
  })
  const record = new SecretRecord(
    getPaths(place.env).state,
    await getInstanceName(place),
    place.clock,
  )
  const unusable = await record.findKeyProblem()
  if (unusable !== undefined) context.ui.note(`cannot tell whether secrets changed: ${unusable}`)
  const policy: SecretsPolicy = {
    set,
    missing: (source) => values.missing(source),
    changed: async (address, source) => {
      if (unusable !== undefined || (await values.missing(source)) !== undefined) return undefined
      return record.changed(address, await values.value(source))
    },
  }
  return { values, record, policy, unusable }
}
