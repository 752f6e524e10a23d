/**
 * Ends the processes of a test run and removes its folder, however the run ended. It is a process of its own, which learns from the
 * end of its standard input that the run is gone, after `kill -9` as well. A line on standard input says that the run ended by
 * itself; processes that are left then are printed, and the exit code is 1.
 * |     node reaper.mjs <folder of the run> [other paths to remove if the run was aborted …]
 * | Before that it removes the runs whose process is gone, such as those whose reaper was killed.
 */
import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const [folder = '', ...otherPaths] = process.argv.slice(2)

/** Processes may take this long (ms) to end after the tests that started them. */
const grace = 5_000
const pollInterval = 50

const tryOr = (work, otherwise) => {
  try {
    return work()
  } catch {
    return otherwise
  }
}

/** True if a process was started with a variable that names the run's folder; TMPDIR does so at least. */
const isOfRun = (pid, run) =>
  tryOr(() => readFileSync(`/proc/${pid}/environ`, 'latin1'), '')
    .split('\0')
    .some((variable) => {
      const [name = '', value = ''] = variable.split(/=(.*)/s)
      // A shell of a person who is in that folder is not part of the run.
      return !/^(OLD)?PWD$/.test(name) && `${value}/`.startsWith(`${run}/`)
    })

const listProcesses = (run) =>
  tryOr(() => readdirSync('/proc'), [])
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => isOfRun(pid, run))
    .map(Number)

const readCommand = (pid) =>
  tryOr(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')
    .replaceAll('\0', ' ')
    .trim()

/** Kills the run's processes, and those that they start meanwhile. */
const endProcesses = async (run) => {
  for (let round = 0; round < 100; round++) {
    const found = listProcesses(run)
    if (found.length === 0) return
    for (const pid of found) tryOr(() => process.kill(pid, 'SIGKILL'))
    await wait(pollInterval)
  }
}

/** Unmounts the file systems that tests mounted: they could not be removed otherwise. */
const releaseMounts = (path) => {
  const mounts = tryOr(() => readFileSync('/proc/mounts', 'utf8'), '').split('\n')
  for (const [, at = ''] of mounts.map((line) => line.split(' ')))
    if (at.startsWith(`${path}/`)) spawnSync('umount', ['-l', at], { stdio: 'ignore' })
}

const remove = (path) => {
  releaseMounts(path)
  const gone = () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    return true
  }
  if (tryOr(gone, false)) return
  spawnSync('chmod', ['-R', 'u+rwx', path], { stdio: 'ignore' })
  tryOr(gone, false)
}

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

const isMine = (path) =>
  tryOr(() => {
    const found = lstatSync(path)
    return found.isDirectory() && found.uid === process.getuid?.()
  }, false)

/** Ends and removes the other runs in the parent folder whose process is gone. */
const removeStaleRuns = async () => {
  const parent = dirname(folder)
  for (const name of readdirSync(parent)) {
    const [, pid] = /^svcctl-tests-(\d+)-\w+$/.exec(name) ?? []
    const path = join(parent, name)
    if (pid === undefined || isAlive(Number(pid)) || !isMine(path)) continue
    await endProcesses(path)
    remove(path)
  }
}

/** Waits for the processes of the run to end. Returns those that are still there. */
const findLeftovers = async () => {
  const until = Date.now() + grace
  while (listProcesses(folder).length > 0 && Date.now() < until) await wait(pollInterval)
  return listProcesses(folder).map((pid) => `${pid} ${readCommand(pid)}`)
}

await removeStaleRuns()
let message = ''
for await (const text of process.stdin) message += text
const leftovers = message === '' ? [] : await findLeftovers()
await endProcesses(folder)
for (const path of [folder, ...(message === '' ? otherPaths : [])]) remove(path)
if (leftovers.length > 0) process.stdout.write(`${leftovers.join('\n')}\n`)
process.exitCode = leftovers.length > 0 ? 1 : 0
