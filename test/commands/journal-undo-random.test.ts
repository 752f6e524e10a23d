/**
 * Tests every bulk verb that can be undone: whatever it changed, from whatever state and to whatever values, undoing
 * its run restores the previous state.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { canRecordJournal, getCommandName } from '../../src/engine/command/derive.js'
import { findInverse } from '../../src/engine/journaling/inverse.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { header } from '../engine/work/header.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

let sandbox: Sandbox
let config = ''
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
})
afterAll(() => sandbox.close())
beforeEach(() => {
  config = createConfiguration()
})

const run = (words: readonly string[]) =>
  svcctl(words, {
    env: { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: 'sandbox-root-token' },
  })

/** Reads the output of these lines, without the times that every write or creation changes. */
const readState = (reads: readonly string[]): Promise<readonly string[]> =>
  Promise.all(
    reads.map(async (line) => {
      const { code, stdout } = await run([...line.split(' '), '-o', 'json'])
      return `${code} ${stdout.replace(/"(?:updated|resolved|dismissed|confirmed|created)_at":[^,}]*/g, '')}`
    }),
  )

type Words = fc.Arbitrary<readonly string[]>

const app = ['-P', 'platform/app']
const text = fc.stringMatching(/^[a-z][a-z ]{0,12}[a-z]$/)
const pickSome = (...objects: string[]): Words => fc.subarray(objects, { minLength: 1 })

/** Converts values to `--flag value`, `--flag` or `--no-flag`. */
const toFlags = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'boolean'
      ? [value ? `--${name}` : `--no-${name}`]
      : [`--${name}`, String(value)],
  )
const generateFlags = (model: Readonly<Record<string, fc.Arbitrary<unknown>>>): Words =>
  fc.record(model, { requiredKeys: Object.keys(model).slice(0, 1) }).map(toFlags)

/** Generates lines with a verb, some objects and some values. */
const generateLine = (verb: string, objects: Words, values: Words = fc.constant([])): Words =>
  fc.tuple(objects, values).map(([ids, more]) => [...verb.split(' '), ...ids, ...more])

interface Verb {
  /** Generates the line under test. The line of `start` runs before it; by default another one of `change`. */
  readonly change: Words
  readonly start?: Words
  readonly reads: readonly string[]
}

const runners = pickSome('1', '2', '7')
const runnerReads = ['runners get 1 2 7']
const requests = pickSome('1', '2', '6')
const requestReads = ['mr get 1 2 6 -P platform/app']
const addScope = (ids: Words, ...scope: string[]): Words => ids.map((all) => [...all, ...scope])
const vulnerabilities = pickSome('1', '2', '3', '4')
const vulnerabilityReads = ['vulnerabilities get 1 2 3 4 --fields state']
const verdicts = fc.oneof(
  ...['confirm', 'resolve', 'dismiss', 'revert'].map((verb) =>
    generateLine(`vulnerabilities ${verb}`, vulnerabilities),
  ),
)
const rules = ['approvals rules list -P platform/app', 'approvals rules list -P web/site']
const approvers = fc.subarray(['2', '3', '4'], { minLength: 1 }).map((ids) => ids.join(','))
const member = generateFlags({
  'access-level': fc.constantFrom('guest', 'reporter', 'developer'),
  'expires-at': fc.constantFrom('2099-01-31', '2100-02-28'),
})
const memberReads = ['members get 4 5 6 -G platform --fields access_level,expires_at']

const verbs: Readonly<Record<string, Verb>> = {
  'runners update': {
    change: generateLine(
      'runners update',
      runners,
      generateFlags({
        description: text,
        'tag-list': fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), {
          minLength: 1,
          maxLength: 3,
        }),
        'maximum-timeout': fc.integer({ min: 600, max: 100_000 }),
        locked: fc.boolean(),
        active: fc.boolean(),
      }),
    ),
    reads: runnerReads,
  },
  'runners pause': {
    start: generateLine('runners resume', runners),
    change: generateLine('runners pause', runners),
    reads: runnerReads,
  },
  'runners resume': {
    start: generateLine('runners pause', runners),
    change: generateLine('runners resume', runners),
    reads: runnerReads,
  },
  'runners drain': {
    start: generateLine('runners resume', runners),
    change: generateLine('runners drain', runners),
    reads: runnerReads,
  },
  // No other verb here locks runner 10: a locked runner joins no further project.
  'runners enable': {
    start: generateLine('runners disable', addScope(pickSome('10'), '-P', 'web/site', '--yes')),
    change: generateLine('runners enable', addScope(pickSome('10'), '-P', 'web/site')),
    reads: ['runners list -P web/site --fields id'],
  },
  'runners disable': {
    start: generateLine('runners enable', addScope(pickSome('10'), '-P', 'web/site')),
    change: generateLine('runners disable', addScope(pickSome('10'), '-P', 'web/site', '--yes')),
    reads: ['runners list -P web/site --fields id'],
  },
  'mr subscribe': {
    start: generateLine('mr unsubscribe', addScope(requests, ...app)),
    change: generateLine('mr subscribe', addScope(requests, ...app)),
    reads: requestReads,
  },
  'mr unsubscribe': {
    start: generateLine('mr subscribe', addScope(requests, ...app)),
    change: generateLine('mr unsubscribe', addScope(requests, ...app)),
    reads: requestReads,
  },
  'approvals update': {
    change: generateLine(
      'approvals update',
      pickSome('-Pplatform/app', '-Pweb/site').map((given) => [
        '-P',
        given.map((one) => one.slice(2)).join(','),
      ]),
      generateFlags({
        'reset-approvals-on-push': fc.boolean(),
        'merge-requests-author-approval': fc.boolean(),
        'merge-requests-disable-committers-approval': fc.boolean(),
      }),
    ),
    reads: ['approvals get -P platform/app', 'approvals get -P web/site'],
  },
  'approvals mr update': {
    change: generateLine(
      'approvals mr update',
      addScope(requests, ...app),
      generateFlags({ 'approvals-required': fc.integer({ min: 0, max: 5 }) }),
    ),
    reads: ['approvals mr get 1 2 6 -P platform/app'],
  },
  'approvals rules update': {
    change: generateLine(
      'approvals rules update',
      addScope(pickSome('2'), ...app, '--yes'),
      generateFlags({
        'user-ids': approvers,
        'approvals-required': fc.integer({ min: 0, max: 5 }),
        name: text,
      }),
    ),
    reads: rules,
  },
  'members update': {
    change: generateLine(
      'members update',
      addScope(pickSome('4', '5', '6'), '-G', 'platform'),
      member,
    ),
    reads: memberReads,
  },
  'members remove': {
    start: generateLine(
      'members update',
      addScope(pickSome('4', '5', '6'), '-G', 'platform'),
      member,
    ),
    change: generateLine(
      'members remove',
      addScope(pickSome('4', '5', '6'), '-G', 'platform', '--yes'),
    ),
    reads: memberReads,
  },
  'integrations update': {
    change: generateLine(
      'integrations update',
      addScope(pickSome('emails-on-push'), ...app),
      generateFlags({
        recipients: fc.constantFrom('a@example.test', 'b@example.test c@example.test'),
        'push-events': fc.boolean(),
        'tag-push-events': fc.boolean(),
        'disable-diffs': fc.boolean(),
      }),
    ),
    reads: ['integrations get emails-on-push -P platform/app'],
  },
  'deploy-keys update': {
    change: generateLine(
      'deploy-keys update',
      addScope(pickSome('1'), ...app),
      generateFlags({ title: text, 'can-push': fc.boolean() }),
    ),
    reads: ['deploy-keys list -P platform/app'],
  },
  'deploy-keys enable': {
    start: generateLine('deploy-keys delete', addScope(pickSome('1'), '-P', 'web/site', '--yes')),
    change: generateLine('deploy-keys enable', addScope(pickSome('1'), '-P', 'web/site')),
    reads: ['deploy-keys list -P platform/app', 'deploy-keys list -P web/site'],
  },
  'pages-domains add': {
    start: generateLine(
      'pages-domains delete',
      pickSome('a.example.test', 'b.example.test').map(([first = '']) => [first, '-P', 'web/site']),
      fc.constant(['--yes']),
    ),
    change: generateLine(
      'pages-domains add',
      pickSome('a.example.test', 'b.example.test').map(([first = '']) => [first, '-P', 'web/site']),
      fc.constantFrom([], ['--auto-ssl-enabled']),
    ),
    reads: ['pages-domains list -P web/site'],
  },
  'pages-domains update': {
    // The previous value of an attribute that a domain does not show is unknown, and is reported as not kept.
    start: generateLine(
      'pages-domains update',
      addScope(pickSome('auto.example.test'), '-P', 'web/site'),
      fc.constant(['--auto-ssl-enabled']),
    ),
    change: generateLine(
      'pages-domains update',
      addScope(pickSome('auto.example.test'), '-P', 'web/site'),
      fc.constant(['--no-auto-ssl-enabled']),
    ),
    reads: ['pages-domains list -P web/site'],
  },
  'members add': {
    start: generateLine(
      'members remove',
      addScope(pickSome('4', '5', '6'), '-G', 'platform', '--yes'),
    ),
    change: generateLine(
      'members add',
      addScope(pickSome('4', '5', '6'), '-G', 'platform'),
      member,
    ),
    reads: memberReads,
  },
  'approvals rules delete': {
    start: generateLine(
      'approvals rules create',
      fc.constant(['-P', 'web/site']),
      fc
        .record({ 'user-ids': approvers, name: text })
        .map((values) => [...toFlags(values), '--approvals-required', '1']),
    ),
    change: generateLine(
      'approvals rules delete',
      fc.constant(['--select', 'approvals_required=1', '-P', 'web/site', '--yes']),
    ),
    reads: ['approvals rules list -P web/site --fields name,approvals_required,users'],
  },
  'deploy-keys delete': {
    start: generateLine('deploy-keys enable', addScope(pickSome('1'), '-P', 'web/site')),
    change: generateLine('deploy-keys delete', addScope(pickSome('1'), '-P', 'web/site', '--yes')),
    reads: ['deploy-keys list -P web/site --fields title,key,can_push'],
  },
  'approvals rules create': {
    change: generateLine(
      'approvals rules create',
      fc.constant(['-P', 'platform/app,web/site']),
      generateFlags({ name: text }).map((words) => [...words, '--approvals-required', '1']),
    ),
    reads: rules,
  },
  'error-tracking keys create': {
    change: generateLine('error-tracking keys create', fc.constant(['-P', 'platform/app'])),
    reads: ['error-tracking keys list -P platform/app'],
  },
  'error-tracking update': {
    change: generateLine(
      'error-tracking update',
      fc.constant(['-P', 'platform/app']),
      generateFlags({ active: fc.boolean() }),
    ),
    reads: ['error-tracking get -P platform/app'],
  },
  'resource-groups update': {
    change: generateLine(
      'resource-groups update',
      addScope(pickSome('staging', 'production'), ...app),
      generateFlags({
        'process-mode': fc.constantFrom('unordered', 'oldest_first', 'newest_first'),
      }),
    ),
    reads: ['resource-groups get staging production -P platform/app'],
  },
  'geo nodes update': {
    change: generateLine(
      'geo nodes update',
      pickSome('2'),
      generateFlags({
        'files-max-capacity': fc.integer({ min: 1, max: 50 }),
        'repos-max-capacity': fc.integer({ min: 1, max: 50 }),
        enabled: fc.boolean(),
      }),
    ),
    reads: ['geo nodes get 2'],
  },
  ...Object.fromEntries(
    ['confirm', 'resolve', 'dismiss', 'revert'].map((verb) => [
      `vulnerabilities ${verb}`,
      {
        start: verdicts,
        change: generateLine(`vulnerabilities ${verb}`, vulnerabilities),
        reads: vulnerabilityReads,
      },
    ]),
  ),
}

it.each(Object.entries(verbs))(
  'undoing brings back what %s did, whatever that was',
  { timeout: 180_000 },
  async (_, { change, start = change, reads }) => {
    let changed = 0
    const property = fc.asyncProperty(start, change, async (before, words) => {
      // A run that changes nothing has nothing to restore, so the property goes on until one run changes something.
      if (changed > 0) return
      // A request for the state that an object already has may be refused; either outcome is accepted.
      await run(before)
      const was = await readState(reads)
      const ran = await run([...words, ...(words.includes('--yes') ? [] : ['--yes'])])
      // The instance may reject the verb for some or all objects because of their state; the others are restored.
      expect([0, 1, 3, 4, 5, 8], ran.stderr).toContain(ran.code)
      if ((await readState(reads)).join() !== was.join()) changed += 1
      const undone = await run(['journal', 'undo', 'last', '--yes'])
      expect(undone.code, `${words.join(' ')}: ${undone.stderr}`).toBe(0)
      expect(await readState(reads)).toEqual(was)
    })
    await fc.assert(property, { numRuns: 20 })
    expect(changed).toBeGreaterThan(0)
  },
)

/** These verbs are not tried: they need unique keys or addresses, or there is only one settings record. */
const untriedVerbs: readonly string[] = [
  'deploy-keys add',
  'geo nodes create',
  'geo nodes delete',
  'settings update',
]

it('is tried of every bulk verb that can be undone', async () => {
  const undoable: string[] = []
  for (const command of await loadAllCommands()) {
    if (!canRecordJournal(command) || command.open === true) continue
    const routes = Object.values(command.endpoints).map(({ route }) => route)
    const ways = await Promise.all(
      routes.map((endpoint) =>
        findInverse({ ...header, command: getCommandName(command), endpoint }).catch(
          () => undefined,
        ),
      ),
    )
    if (ways.some((way) => way !== undefined)) undoable.push(getCommandName(command))
  }
  expect(undoable.length).toBeGreaterThan(20)
  expect(undoable.toSorted()).toEqual([...Object.keys(verbs), ...untriedVerbs].toSorted())
})
