/**
 * Whatever a bulk verb changed, from whatever state and to whatever values, undoing its run brings back: a
 * property of every verb over several objects that the documents have a way back for.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { canRecordJournal, getCommandName } from '../../src/engine/command/derive.js'
import { findInverse } from '../../src/engine/journaling/inverse.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { header } from '../engine/work/header.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'

let sandbox: Sandbox
let config = ''
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: folder(), speed: Number.POSITIVE_INFINITY })
})
afterAll(() => sandbox.close())
beforeEach(() => {
  config = configuration()
})

const run = (words: readonly string[]) =>
  svcctl(words, {
    env: { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: 'sandbox-root-token' },
  })

/** What every GET answers, less what is new whenever something is written or made again. */
const state = (reads: readonly string[]): Promise<readonly string[]> =>
  Promise.all(
    reads.map(async (line) => {
      const { code, stdout } = await run([...line.split(' '), '-o', 'json'])
      return `${code} ${stdout.replace(/"(?:updated|resolved|dismissed|confirmed|created)_at":[^,}]*/g, '')}`
    }),
  )

type Words = fc.Arbitrary<readonly string[]>

const app = ['-P', 'platform/app']
const text = fc.stringMatching(/^[a-z][a-z ]{0,12}[a-z]$/)
const some = (...objects: string[]): Words => fc.subarray(objects, { minLength: 1 })

/** `--flag value`, `--flag` or `--no-flag`, as a value says. */
const flagsOf = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'boolean'
      ? [value ? `--${name}` : `--no-${name}`]
      : [`--${name}`, String(value)],
  )
const flags = (model: Readonly<Record<string, fc.Arbitrary<unknown>>>): Words =>
  fc.record(model, { requiredKeys: Object.keys(model).slice(0, 1) }).map(flagsOf)

/** A verb over some objects, with some values. */
const line = (verb: string, objects: Words, values: Words = fc.constant([])): Words =>
  fc.tuple(objects, values).map(([ids, more]) => [...verb.split(' '), ...ids, ...more])

interface Verb {
  /** What it is run on, from a state that the same made, or others do. */
  readonly change: Words
  readonly start?: Words
  readonly reads: readonly string[]
}

const runners = some('1', '2', '7')
const runnerReads = ['runners get 1 2 7']
const requests = some('1', '2', '6')
const requestReads = ['mr get 1 2 6 -P platform/app']
const scoped = (ids: Words, ...scope: string[]): Words => ids.map((all) => [...all, ...scope])
const vulnerabilities = some('1', '2', '3', '4')
const found = ['vulnerabilities get 1 2 3 4 --fields state']
const judged = fc.oneof(
  ...['confirm', 'resolve', 'dismiss', 'revert'].map((verb) =>
    line(`vulnerabilities ${verb}`, vulnerabilities),
  ),
)
const rules = ['approvals rules list -P platform/app', 'approvals rules list -P web/site']
const approvers = fc.subarray(['2', '3', '4'], { minLength: 1 }).map((ids) => ids.join(','))
const member = flags({
  'access-level': fc.constantFrom('guest', 'reporter', 'developer'),
  'expires-at': fc.constantFrom('2099-01-31', '2100-02-28'),
})
const memberReads = ['members get 4 5 6 -G platform --fields access_level,expires_at']

const verbs: Readonly<Record<string, Verb>> = {
  'runners update': {
    change: line(
      'runners update',
      runners,
      flags({
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
    start: line('runners resume', runners),
    change: line('runners pause', runners),
    reads: runnerReads,
  },
  'runners resume': {
    start: line('runners pause', runners),
    change: line('runners resume', runners),
    reads: runnerReads,
  },
  'runners drain': {
    start: line('runners resume', runners),
    change: line('runners drain', runners),
    reads: runnerReads,
  },
  // One that no other verb here locks: a locked one joins no further project.
  'runners enable': {
    start: line('runners disable', scoped(some('10'), '-P', 'web/site', '--yes')),
    change: line('runners enable', scoped(some('10'), '-P', 'web/site')),
    reads: ['runners list -P web/site --fields id'],
  },
  'runners disable': {
    start: line('runners enable', scoped(some('10'), '-P', 'web/site')),
    change: line('runners disable', scoped(some('10'), '-P', 'web/site', '--yes')),
    reads: ['runners list -P web/site --fields id'],
  },
  'mr subscribe': {
    start: line('mr unsubscribe', scoped(requests, ...app)),
    change: line('mr subscribe', scoped(requests, ...app)),
    reads: requestReads,
  },
  'mr unsubscribe': {
    start: line('mr subscribe', scoped(requests, ...app)),
    change: line('mr unsubscribe', scoped(requests, ...app)),
    reads: requestReads,
  },
  'approvals update': {
    change: line(
      'approvals update',
      some('-Pplatform/app', '-Pweb/site').map((given) => [
        '-P',
        given.map((one) => one.slice(2)).join(','),
      ]),
      flags({
        'reset-approvals-on-push': fc.boolean(),
        'merge-requests-author-approval': fc.boolean(),
        'merge-requests-disable-committers-approval': fc.boolean(),
      }),
    ),
    reads: ['approvals get -P platform/app', 'approvals get -P web/site'],
  },
  'approvals mr update': {
    change: line(
      'approvals mr update',
      scoped(requests, ...app),
      flags({ 'approvals-required': fc.integer({ min: 0, max: 5 }) }),
    ),
    reads: ['approvals mr get 1 2 6 -P platform/app'],
  },
  'approvals rules update': {
    change: line(
      'approvals rules update',
      scoped(some('2'), ...app, '--yes'),
      flags({
        'user-ids': approvers,
        'approvals-required': fc.integer({ min: 0, max: 5 }),
        name: text,
      }),
    ),
    reads: rules,
  },
  'members update': {
    change: line('members update', scoped(some('4', '5', '6'), '-G', 'platform'), member),
    reads: memberReads,
  },
  'members remove': {
    start: line('members update', scoped(some('4', '5', '6'), '-G', 'platform'), member),
    change: line('members remove', scoped(some('4', '5', '6'), '-G', 'platform', '--yes')),
    reads: memberReads,
  },
  'integrations update': {
    change: line(
      'integrations update',
      scoped(some('emails-on-push'), ...app),
      flags({
        recipients: fc.constantFrom('a@example.test', 'b@example.test c@example.test'),
        'push-events': fc.boolean(),
        'tag-push-events': fc.boolean(),
        'disable-diffs': fc.boolean(),
      }),
    ),
    reads: ['integrations get emails-on-push -P platform/app'],
  },
  'deploy-keys update': {
    change: line(
      'deploy-keys update',
      scoped(some('1'), ...app),
      flags({ title: text, 'can-push': fc.boolean() }),
    ),
    reads: ['deploy-keys list -P platform/app'],
  },
  'deploy-keys enable': {
    start: line('deploy-keys delete', scoped(some('1'), '-P', 'web/site', '--yes')),
    change: line('deploy-keys enable', scoped(some('1'), '-P', 'web/site')),
    reads: ['deploy-keys list -P platform/app', 'deploy-keys list -P web/site'],
  },
  'pages-domains add': {
    start: line(
      'pages-domains delete',
      some('a.example.test', 'b.example.test').map(([first = '']) => [first, '-P', 'web/site']),
      fc.constant(['--yes']),
    ),
    change: line(
      'pages-domains add',
      some('a.example.test', 'b.example.test').map(([first = '']) => [first, '-P', 'web/site']),
      fc.constantFrom([], ['--auto-ssl-enabled']),
    ),
    reads: ['pages-domains list -P web/site'],
  },
  'pages-domains update': {
    // What a domain does not show cannot be known of it before, and is named as not kept.
    start: line(
      'pages-domains update',
      scoped(some('auto.example.test'), '-P', 'web/site'),
      fc.constant(['--auto-ssl-enabled']),
    ),
    change: line(
      'pages-domains update',
      scoped(some('auto.example.test'), '-P', 'web/site'),
      fc.constant(['--no-auto-ssl-enabled']),
    ),
    reads: ['pages-domains list -P web/site'],
  },
  'members add': {
    start: line('members remove', scoped(some('4', '5', '6'), '-G', 'platform', '--yes')),
    change: line('members add', scoped(some('4', '5', '6'), '-G', 'platform'), member),
    reads: memberReads,
  },
  'approvals rules delete': {
    start: line(
      'approvals rules create',
      fc.constant(['-P', 'web/site']),
      fc
        .record({ 'user-ids': approvers, name: text })
        .map((values) => [...flagsOf(values), '--approvals-required', '1']),
    ),
    change: line(
      'approvals rules delete',
      fc.constant(['--select', 'approvals_required=1', '-P', 'web/site', '--yes']),
    ),
    reads: ['approvals rules list -P web/site --fields name,approvals_required,users'],
  },
  'deploy-keys delete': {
    start: line('deploy-keys enable', scoped(some('1'), '-P', 'web/site')),
    change: line('deploy-keys delete', scoped(some('1'), '-P', 'web/site', '--yes')),
    reads: ['deploy-keys list -P web/site --fields title,key,can_push'],
  },
  'approvals rules create': {
    change: line(
      'approvals rules create',
      fc.constant(['-P', 'platform/app,web/site']),
      flags({ name: text }).map((words) => [...words, '--approvals-required', '1']),
    ),
    reads: rules,
  },
  'error-tracking keys create': {
    change: line('error-tracking keys create', fc.constant(['-P', 'platform/app'])),
    reads: ['error-tracking keys list -P platform/app'],
  },
  'error-tracking update': {
    change: line(
      'error-tracking update',
      fc.constant(['-P', 'platform/app']),
      flags({ active: fc.boolean() }),
    ),
    reads: ['error-tracking get -P platform/app'],
  },
  'resource-groups update': {
    change: line(
      'resource-groups update',
      scoped(some('staging', 'production'), ...app),
      flags({ 'process-mode': fc.constantFrom('unordered', 'oldest_first', 'newest_first') }),
    ),
    reads: ['resource-groups get staging production -P platform/app'],
  },
  'geo nodes update': {
    change: line(
      'geo nodes update',
      some('2'),
      flags({
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
        start: judged,
        change: line(`vulnerabilities ${verb}`, vulnerabilities),
        reads: found,
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
      // Of runs that change nothing there is nothing to bring back: as many as it takes for one that does.
      if (changed > 0) return
      // A request for the state that an object already has may be refused; either outcome is accepted.
      await run(before)
      const was = await state(reads)
      const ran = await run([...words, ...(words.includes('--yes') ? [] : ['--yes'])])
      // An instance may refuse a verb in a state, of one of several or of all: the others are brought back.
      expect([0, 1, 3, 4, 5, 8], ran.stderr).toContain(ran.code)
      if ((await state(reads)).join() !== was.join()) changed += 1
      const undone = await run(['journal', 'undo', 'last', '--yes'])
      expect(undone.code, `${words.join(' ')}: ${undone.stderr}`).toBe(0)
      expect(await state(reads)).toEqual(was)
    })
    await fc.assert(property, { numRuns: 20 })
    expect(changed).toBeGreaterThan(0)
  },
)

/** One takes the text of a key, of which no two are alike, one an address; of settings there is one record. */
const untried: readonly string[] = [
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
  expect(undoable.toSorted()).toEqual([...Object.keys(verbs), ...untried].toSorted())
})
