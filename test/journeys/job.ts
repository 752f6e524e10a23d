/** A job of the README, run as a runner would. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { clean, configuration, folder, program } from '../support/program.js'

/** Runs a job's lines in one shell, with these variables and `svcctl` on the path. */
export const runJob = async (
  lines: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
) => {
  const bin = join(folder(), 'bin')
  mkdirSync(bin)
  symlinkSync(program, join(bin, 'svcctl'))
  return execa('bash', ['-eo', 'pipefail', '-c', lines.join('\n')], {
    cwd,
    reject: false,
    extendEnv: false,
    stdin: 'ignore',
    env: {
      ...clean(),
      CI: 'true',
      PATH: `${bin}:${process.env.PATH}`,
      SVC_CONFIG_DIR: configuration(),
      ...env,
    },
  })
}
