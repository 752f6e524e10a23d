/** The flags that every command has, as data: the parser, help, completions and docs derive from it. */
import { boolean, integer, list, oneOf, type Param, string } from '../catalogue/endpoint.js'
import type { Flag, FlagGroup } from '../commands/types.js'
import { formatNames } from '../output/index.js'

const flag = (
  name: string,
  group: FlagGroup,
  param: Param,
  more: Partial<Pick<Flag, 'short' | 'optionalValue' | 'hidden'>> = {},
): Flag => ({ name, group, param, required: false, ...more })

/** Flags of commands that list. */
export const pagingFlags: readonly Flag[] = [
  flag('limit', 'paging', string('how many records', { default: 100, placeholder: 'n|all' }), {
    short: 'L',
  }),
  flag('page', 'paging', integer('exactly this page', { min: 1 })),
  flag('per-page', 'paging', integer('records a page', { min: 1, max: 100 })),
]

/** Flags of commands that change something and are answered with what they changed; `ci lint` has its own --strict. */
export const writeFlags: readonly Flag[] = [
  flag('strict', 'command', boolean('exit 1 where the instance did not take an attribute')),
]

/** Flags of commands that send a request. */
export const requestFlags: readonly Flag[] = [
  flag('profile', 'instance', string('use this profile', { completes: 'profile' }), { short: 'p' }),
  flag('base-url', 'instance', string('address of the instance', { format: 'url' })),
  flag('sandbox', 'instance', boolean('use the embedded instance')),
  flag('sudo', 'instance', string('act as this user (ID or username)')),
  flag('timeout', 'instance', integer('seconds to wait for an answer', { min: 1, default: 60 })),
  flag(
    'retries',
    'instance',
    integer('how often a request is tried again', { min: 0, default: 3 }),
  ),
  flag('concurrency', 'instance', integer('requests at once', { min: 1, max: 64 })),
  flag('insecure', 'instance', boolean('do not verify the certificate of the instance')),
  flag('curl', 'instance', boolean('print the request as a curl command, send nothing')),
]

/** Flags of everything. */
export const outputFlags: readonly Flag[] = [
  flag('output', 'output', oneOf(formatNames, 'output format', { default: 'table' }), {
    short: 'o',
  }),
  flag(
    'fields',
    'output',
    list('string', 'columns or keys to show; dots reach inside', { completes: 'field' }),
  ),
  flag('show-secrets', 'output', boolean('give tokens, keys and passwords whole')),
  flag('csv-raw', 'output', boolean('leave cells that a spreadsheet would run as formulas')),
  flag('watch', 'output', integer('repeat every so many seconds', { min: 1, default: 2 }), {
    optionalValue: true,
  }),
  flag('yes', 'output', boolean('answer every confirmation'), { short: 'y' }),
  flag('confirm', 'output', string('name of a protected profile, to confirm with --yes')),
  flag('quiet', 'output', boolean('no notes on standard error'), { short: 'q' }),
  flag('verbose', 'output', boolean('trace each request (-vv: with bodies)'), { short: 'v' }),
  flag('color', 'output', oneOf(['auto', 'always', 'never'], 'colour', { default: 'auto' })),
  flag('pager', 'output', boolean('page output longer than the screen')),
  flag('help', 'output', boolean('show this help'), { short: 'h' }),
]

export const globalFlags: readonly Flag[] = [...pagingFlags, ...requestFlags, ...outputFlags]
