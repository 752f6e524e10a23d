/** Declares `svcctl plan`, `apply`, `drift` and `export`: their arguments and flags. The implementation is loaded when one of them runs. */
import { managedKinds } from '../catalogue/managed.js'
import { define } from './define.js'
import { applyFlags, driftFlags, exportFlags, planFlags } from './plan/flags.js'

/** The files and folders with the declared state. */
const filesArgument = {
  name: 'file',
  required: false,
  variadic: true,
  help: 'files and folders, or - for standard input [./svcctl]',
  file: true,
} as const

const loadPrinting = () => import('./plan/printing.js')

export const plan = define({
  description: [
    'YAML or JSON files declare the state of an instance. The plan lists every request that reaches that state. Nothing is written; --out saves the plan for "svcctl apply".',
    'Exit code 0: plan created, with or without changes; 2: invalid files or an unknown name; 8: an object could not be read, or a finding that --fail-on names.',
  ],
  args: [filesArgument],
  flags: planFlags,
  readOnly: true,
  rows: async function* (context, given) {
    yield* (await loadPrinting()).planGiven(context, given)
  },
})
export const apply = define({
  description: [
    'Creates a plan, shows it, asks for confirmation, applies it and verifies the result. A plan file of "svcctl plan --out" is applied if nothing changed since.',
    'A journal records every write, for --resume last and "svcctl journal undo". If a limit is exceeded, the message names the flag that raises it.',
    'Exit code 0: applied and verified; 1: all failed, or the instance ignored a change; 2: invalid files or a limit; 5: a stale plan; 8: some changes failed.',
  ],
  args: [
    {
      ...filesArgument,
      help: 'files and folders, a plan file, or - for standard input [./svcctl]',
    },
  ],
  flags: applyFlags,
  writes: true,
  ownJournal: true,
  ownResume: true,
  longRunning: true,
  rows: async function* (context, given) {
    yield* (await import('./apply/index.js')).applyGiven(context, given)
  },
})

export const drift = define({
  description: [
    'Creates a plan without secrets and writes nothing. Warns about certificates that expire within 30 days.',
    'Exit code 0: no drift; 1: drift; 2: invalid files; 8: some objects could not be read, or a finding that --fail-on names. Impossible and unknown changes are listed but count only with --fail-on.',
  ],
  args: [filesArgument],
  flags: driftFlags,
  readOnly: true,
  rows: async function* (context, given) {
    yield* (await loadPrinting()).yieldDrift(context, given)
  },
})

const getKindNames = (): readonly string[] => [...new Set(managedKinds.map(({ name }) => name))]

export const exportCommand = define({
  description: [
    'A fresh export produces an empty plan. Files use names instead of IDs, and comments in place of secrets, which instances never return. With --exact, a later apply deletes objects that are not listed.',
    'If --to is a folder, svcctl writes one file per project and group, and a JSON Schema for editors. It replaces or removes files from earlier exports. If another file is in the way, svcctl stops before it writes anything.',
  ],
  readOnly: true,
  single: true,
  args: [
    {
      name: 'kind',
      required: false,
      variadic: true,
      help: 'kinds to export (members, approval_rules …), as with --only',
      values: async () => getKindNames().map((value) => ({ value })),
    },
  ],
  flags: exportFlags,
  rows: async function* (context, given) {
    yield* (await import('./export.js')).runExport(context, given)
  },
})
