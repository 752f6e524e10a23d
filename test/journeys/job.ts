/** Runs a job of the guide as a runner does. */
import { runInShell } from '../support/shell.js'

/** Runs a job's lines in one shell, with these variables. */
export const runJob = (
  lines: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
) =>
  runInShell(lines.join('\n'), {
    cwd,
    env: { CI: 'true', ...env },
    shell: ['bash', '-eo', 'pipefail'],
  })
