/**
 * Ends what a run of tests started and removes its folder, however the run ended: a process of its own, which notices by the
 * end of its standard input that the run is gone, after `kill -9` as well. A line there says that the run came to its own end;
 * what is left of it then is printed, and the exit code is 1.
 *
 *     node reaper.mjs <folder of the run> [what else goes when the run was aborted …]
 *
 * Before that it removes the runs whose process is gone: those whose reaper was killed, too.
 */
import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const [folder = '', ...others] = process.argv.slice(2)

/** How long a process may take to end after the tests that started it. */
const grace = 5_000
const between = 50

const attempt = (work, otherwise) => {
  try {
    return work()
  } catch {
    return otherwise
  }
}

/** Whether a process was started with a variable that names the run's folder: TMPDIR at least. */
const belongs = (pid, run) =>
  attempt(() => readFileSync(`/proc/${pid}/environ`, 'latin1'), '')
    .split('\0')
    .some((variable) => {
      const [name = '', value = ''] = variable.split(/=(.*)/s)
      // A shell that somebody stands in the folder with is not the run's.
      return !/^(OLD)?PWD$/.test(name) && `${value}/`.startsWith(`${run}/`)
    })

const processesOf = (run) =>
  attempt(() => readdirSync('/proc'), [])
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => belongs(pid, run))
    .map(Number)

const commandOf = (pid) =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')
    .replaceAll('\0', ' ')
    .trim()

/** Ends the run's processes, and those that these start meanwhile. */
const end = async (run) => {
  for (let round = 0; round < 100; round++) {
    const found = processesOf(run)
    if (found.length === 0) return
    for (const pid of found) attempt(() => process.kill(pid, 'SIGKILL'))
    await wait(between)
  }
}

/** A file system that a test mounted cannot be removed. */
const unmount = (path) => {
  const mounts = attempt(() => readFileSync('/proc/mounts', 'utf8'), '').split('\n')
  for (const [, at = ''] of mounts.map((line) => line.split(' ')))
    if (at.startsWith(`${path}/`)) spawnSync('umount', ['-l', at], { stdio: 'ignore' })
}

const remove = (path) => {
  unmount(path)
  const gone = () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    return true
  }
  if (attempt(gone, false)) return
  spawnSync('chmod', ['-R', 'u+rwx', path], { stdio: 'ignore' })
  attempt(gone, false)
}

const alive = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

const isMine = (path) =>
  attempt(() => {
    const found = lstatSync(path)
    return found.isDirectory() && found.uid === process.getuid?.()
  }, false)

/** Ends and removes the runs beside this one that nobody runs any more. */
const sweep = async () => {
  const parent = dirname(folder)
  for (const name of readdirSync(parent)) {
    const [, pid] = /^svcctl-tests-(\d+)-\w+$/.exec(name) ?? []
    const path = join(parent, name)
    if (pid === undefined || alive(Number(pid)) || !isMine(path)) continue
    await end(path)
    remove(path)
  }
}

/** What still runs once everything had its time to end. */
const leftOver = async () => {
  const until = Date.now() + grace
  while (processesOf(folder).length > 0 && Date.now() < until) await wait(between)
  return processesOf(folder).map((pid) => `${pid} ${commandOf(pid)}`)
}

await sweep()
let said = ''
for await (const text of process.stdin) said += text
const left = said === '' ? [] : await leftOver()
await end(folder)
for (const path of [folder, ...(said === '' ? others : [])]) remove(path)
if (left.length > 0) process.stdout.write(`${left.join('\n')}\n`)
process.exitCode = left.length > 0 ? 1 : 0
