/** The flags of other tools in lines that send requests: those of `api`, and of operations that the documents lack. */

import { parseJsonOrText } from '../../base/json/nesting.js'
import { isObject } from '../../base/objects.js'
import type { FlagReplacement, ForeignFlag } from './values.js'

const api = /^api$/

/** Creates a row for flags that set a parameter in requests with such a path. */
const sets = (param: string, names: readonly string[], path = /./): ForeignFlag => ({
  names,
  value: true,
  of: api,
  gives: (value, { args }) =>
    !value.includes('{') && path.test(args.slice(0, 2).join(' '))
      ? { tokens: ['--param', `${param}=${value}`] }
      : undefined,
})

/** Creates a row for flags that set a parameter to a word in requests with such a path. */
const turnsOn = (pair: string, names: readonly string[], path: RegExp): ForeignFlag => ({
  names,
  of: api,
  gives: (_, { args }) =>
    path.test(args.slice(0, 2).join(' ')) ? { tokens: ['--param', pair] } : undefined,
})

/** Returns the fields of a request that are given as JSON; undefined if one of them is no plain value. */
const toJsonFields = (value: string): FlagReplacement | undefined => {
  const parsed = parseJsonOrText(value, 'the value')
  if (!isObject(parsed)) return undefined
  const pairs = Object.entries(parsed)
  if (pairs.some(([, one]) => typeof one === 'object')) return undefined
  return { tokens: pairs.flatMap(([name, one]) => ['-F', `${name}=${one}`]) }
}

const merge = /\/merge$/
const texts = /(?:merge_requests|issues)(?:\/[^/]+)?$/

/** The rows. The first one whose replacement the command takes is used. */
export const requestFlags: readonly ForeignFlag[] = [
  { names: ['--all', '-A', '--all-pages', '--no-limit'], of: api, gives: ['--paginate'] },
  { names: ['--request'], value: true, of: api, gives: ['-X $1'] },
  { names: ['-I', '--head'], of: api, gives: ['-X HEAD'] },
  { names: ['--url-query'], value: /=/, of: api, gives: ['--param $1'] },
  {
    names: ['-d', '--data', '--data-raw', '--data-urlencode', '--form'],
    value: /^[\w[\]]+=/,
    of: api,
    gives: (value) => ({ tokens: ['-f', value] }),
  },
  {
    names: ['-d', '--data', '--data-raw', '--data-binary', '--json', '--body'],
    value: /^\s*\{/,
    of: api,
    gives: toJsonFields,
  },
  // Texts, labels and branches.
  sets('body', ['--message', '--body', '-m', '-b'], /\/notes$/),
  sets('description', ['--body', '-b', '-d'], texts),
  sets('title', ['-t'], texts),
  sets('ref', ['--branch', '-b', '--ref', '-r'], /\/pipeline$/),
  sets('search', ['--search', '-S', '--query']),
  sets('labels', ['--label', '-l'], texts),
  sets('add_labels', ['--add-label'], texts),
  sets('remove_labels', ['--remove-label', '--unlabel'], texts),
  sets('state_event', ['--state'], /^PUT .*(?:merge_requests|issues)\/[^/]+$/),
  turnsOn('squash=true', ['--squash', '-s'], merge),
  turnsOn('should_remove_source_branch=true', ['--delete-branch', '--remove-source-branch'], merge),
  turnsOn('merge_when_pipeline_succeeds=true', ['--auto-merge', '--when-pipeline-succeeds'], merge),
  turnsOn('confidential=true', ['--confidential'], /\/issues(?:\/[^/]+)?$/),
  turnsOn('top_level_only=true', ['--top-level'], /^GET groups$/),
  turnsOn('owned=true', ['--owned', '--mine'], /^GET groups$/),
  turnsOn('admin=true', ['--admin'], /^(?:POST users|PUT users\/\d+)$/),
  ...['active', 'blocked', 'admins'].map((name) =>
    turnsOn(`${name}=true`, [`--${name}`], /^GET users$/),
  ),
  ...['private', 'internal', 'public'].map((name) =>
    turnsOn(`visibility=${name}`, [`--${name}`], /^(?:POST|PUT) (?:projects|groups)(?:\/[^/]+)?$/),
  ),
  // These flags have no parameter of their name. The API takes users by their IDs.
  {
    names: [
      '--assignee',
      '--add-assignee',
      '--reviewer',
      '--add-reviewer',
      '--milestone',
      '--parent',
    ],
    of: api,
    gives: () => undefined,
  },
  {
    names: ['--reason', '--variables', '--variable', '--cache', '--preview', '--fill', '--get'],
    of: api,
    gives: () => undefined,
  },
]
