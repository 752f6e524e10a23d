/** Runs the program in a shell with a limit on file sizes. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { createConfiguration, createFolder, getCleanEnv, program } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'

const server = useRecorder()

it('ends a download in words where no larger file may be written', async () => {
  // A body of 1 MiB that ends as an archive does.
  const body = `PK\x03\x04${'a'.repeat((1 << 20) - 4)}PK\x05\x06${'\0'.repeat(12)}\0\0\x10\0\0\0`
  server.answer = () => ({ body, headers: { 'content-type': 'application/zip' } })
  const cwd = createFolder()
  const script = `trap '' XFSZ; ulimit -f 64; exec "$0" "$@"`
  const words = [process.execPath, program, 'artifacts', 'download', '7', '-P', '1']
  const { exitCode, stderr } = await execa('bash', ['-c', script, ...words], {
    cwd,
    extendEnv: false,
    env: {
      ...getCleanEnv(),
      SVC_TOKEN: 'any',
      SVC_BASE_URL: server.url,
      NODE_DISABLE_COMPILE_CACHE: '1',
      SVC_CONFIG_DIR: createConfiguration(),
    },
    reject: false,
  })
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/cannot write .*artifacts\.zip/)
  expect(readdirSync(cwd)).toEqual([])
})

it('keeps the extension that was there where no larger file may be written', async () => {
  const [cwd, config] = [createFolder(), createConfiguration()]
  const env = { ...getCleanEnv(), NODE_DISABLE_COMPILE_CACHE: '1', SVC_CONFIG_DIR: config }
  const write = (name: string, params: string): void =>
    writeFileSync(
      join(cwd, name),
      `extension: x\ncommands:\n  apples list: { request: GET /apples, params: { ${params} } }\n`,
    )
  write('small.yml', 'a: string')
  write('large.yml', Array.from({ length: 2000 }, (_, i) => `p${i}: string`).join(', '))
  const add = (file: string) => {
    const script = `trap '' XFSZ; ulimit -f 64; exec "$0" "$@"`
    const words = ['-c', script, process.execPath, program, 'extend', 'add', file]
    return execa('bash', words, { cwd, extendEnv: false, env, reject: false })
  }
  expect((await add('small.yml')).exitCode).toBe(0)
  const failed = await add('large.yml')
  expect([failed.exitCode, failed.stderr]).toEqual([2, expect.stringContaining('cannot write')])
  expect(readdirSync(join(config, 'extensions'))).toEqual(['x'])
  expect(readFileSync(join(config, 'extensions', 'x', 'area-apples.json'), 'utf8')).toContain('"a"')
})

it.each([
  ['the lock of the embedded instance', 0, 'runners list --sandbox', 'state/sandbox/.lock'],
  ['a plan', 1, 'runners pause 1 2 3 4 5 6 7 8 9 10 --sandbox --dry-run --save', '.ndjson'],
])('names %s where no larger file may be written', async (_, blocks, line, path) => {
  const config = createConfiguration()
  const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`
  const words = ['-c', script, process.execPath, program, ...line.split(' ')]
  const env = { ...getCleanEnv(), NODE_DISABLE_COMPILE_CACHE: '1', SVC_CONFIG_DIR: config }
  const ran = await execa('bash', words, {
    cwd: createFolder(),
    extendEnv: false,
    env,
    reject: false,
  })
  expect(ran.exitCode).toBe(1)
  expect(ran.stderr).toContain(`${path}: the file would be too large`)
})

it('works in a folder that was deleted', async () => {
  server.answer = () => ({ body: [{ id: 1 }] })
  const [cwd, config] = [createFolder(), createConfiguration()]
  const call = (line: string, env: Readonly<Record<string, string>> = {}, before = '') =>
    execa(
      'bash',
      [
        '-c',
        `rmdir "$PWD"; ${before} "$0" "$1" ${line}; code=$?; mkdir "${cwd}"; exit $code`,
        process.execPath,
        program,
      ],
      {
        cwd,
        extendEnv: false,
        env: {
          ...getCleanEnv(),
          SVC_TOKEN: 'any',
          SVC_BASE_URL: server.url,
          SVC_CONFIG_DIR: config,
          ...env,
        },
        reject: false,
      },
    )
  const list = 'runners list --instance -o id'
  expect(await call(list)).toMatchObject({ exitCode: 0, stdout: '1', stderr: '' })
  expect(await call(list, { SVC_CONFIG_DIR: 'relative' })).toMatchObject({
    exitCode: 0,
    stdout: '1',
  })
  const unnamed = await call(list, {}, 'unset PWD;')
  expect(unnamed).toMatchObject({ exitCode: 2, stdout: '' })
  expect(unnamed.stderr).toMatch(/^svcctl: the current folder was deleted\n/)
  const written = await call(`${list} --to x.txt`)
  expect(written).toMatchObject({ exitCode: 1, stdout: '' })
  expect(written.stderr).toContain('cannot write x.txt: no such file or directory')
})

it('creates folders that their owner can enter, whatever the umask', async () => {
  const home = createFolder()
  const line = 'profile set a --base-url https://svc.example'
  const ran = await execa(
    'bash',
    ['-c', `umask 377; "$0" "$1" ${line}`, process.execPath, program],
    {
      extendEnv: false,
      env: {
        ...getCleanEnv(),
        XDG_CONFIG_HOME: join(home, 'config'),
        XDG_CACHE_HOME: join(home, 'cache'),
      },
      reject: false,
    },
  )
  expect(ran.exitCode, ran.stderr).toBe(0)
  for (const path of ['config', 'config/svcctl', 'cache', 'cache/svcctl/code'])
    expect(statSync(join(home, path)).mode & 0o777, path).toBe(0o700)
})
