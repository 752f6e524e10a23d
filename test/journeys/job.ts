/** A job of the guide, run as a runner would. */
import { inShell } from '../support/shell.js'

/** Runs a job's lines in one shell, with these variables. */
export const runJob = (
  lines: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
) =>
  inShell(lines.join('\n'), {
    cwd,
    env: { CI: 'true', ...env },
    shell: ['bash', '-eo', 'pipefail'],
  })
