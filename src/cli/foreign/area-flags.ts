/** The flags of other tools that mean something in a single area. */
import type { ForeignFlag } from './values.js'

/** The rows. The first one whose replacement the command takes is used. */
export const areaFlags: readonly ForeignFlag[] = [
  { names: ['--name', '-t'], value: true, of: /^deploy-keys /, gives: ['--title $1'] },
  { names: ['-k'], value: true, of: /^deploy-keys /, gives: ['--key $1'] },
  { names: ['--key-file'], value: true, of: /^deploy-keys /, gives: ['--key @$1'] },
  {
    names: ['-w', '--allow-write', '--write', '--writable'],
    of: /^deploy-keys (?:add|update)$/,
    gives: ['--can-push'],
  },
  { names: ['--lets-encrypt'], of: /^pages-domains /, gives: ['--auto-ssl-enabled'] },
  { names: ['--domain'], value: true, of: /^pages-domains /, gives: ['$1'] },
  {
    names: ['--required', '--approvals-required'],
    value: /^\d+$/,
    of: /^approvals /,
    gives: ['--approvals-required $1', '--approvals-before-merge $1'],
  },
  { names: ['--mode'], value: true, of: /^resource-groups /, gives: ['--process-mode $1'] },
  { names: ['--enabled'], of: /^error-tracking /, gives: ['--active'] },
  { names: ['--disabled'], of: /^error-tracking /, gives: ['--no-active'] },
  {
    names: ['--from'],
    value: true,
    of: /^storage-move schedule$/,
    wins: true,
    gives: ['--source-storage-name $1'],
  },
  // Words of git and of other clients for what a commit does with a file.
  ...(
    [
      [['--add', '--add-file', '--new'], '--create $1'],
      [['--edit', '--modify', '--change', '--replace', '--write'], '--update $1'],
      [['--rm', '--remove', '--del'], '--delete $1'],
      [['--mv', '--rename'], '--move $1'],
    ] as const
  ).map(
    ([names, flag]) => ({ names, value: true, of: /^commits create$/, gives: [flag] }) as const,
  ),
]
