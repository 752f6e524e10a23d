/** The context that every group of measurements gets. */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { openRun } from '../support/run.js'
import type { Row } from './table.js'

export interface Bench {
  /** A temporary folder, in memory if the machine has /dev/shm. */
  readonly folder: string
  /** Number of runs of each program; with 0 each group uses its own number. */
  readonly runs: number
  /** Returns the base URL of an instance with `projects` projects that answers after `milliseconds`. */
  readonly instance: (projects: number, milliseconds: number) => string
  /** Base URL of an instance over TLS, with the certificate to trust; undefined without the openssl program. */
  readonly tls: { readonly baseUrl: string; readonly certificate: string } | undefined
  readonly report: (row: Row) => void
}

/** Creates a certificate for 127.0.0.1. Returns undefined if the openssl program is missing. */
const createCertificate = (folder: string): { key: string; cert: string } | undefined => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout ${key} -out ${cert}`
  try {
    execFileSync('openssl', [...request.split(' '), '-addext', 'subjectAltName=IP:127.0.0.1'], {
      stdio: 'ignore',
    })
    return { key, cert }
  } catch {
    return undefined
  }
}

type Server = ChildProcessByStdio<Writable, Readable, null>

const startServer = async (env: NodeJS.ProcessEnv): Promise<[Server, string]> => {
  const child = spawn(process.execPath, ['.config/run-ts.mjs', 'test/bench/server.ts'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return [child, String(line)]
}

/** Starts the server, runs `work` and cleans up. */
export const withBench = async (
  runs: number,
  report: (row: Row) => void,
  work: (bench: Bench) => Promise<void>,
): Promise<void> => {
  const bench = openRun(existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
  const { folder } = bench
  const tls = createCertificate(folder)
  const [server, line] = await startServer(
    tls === undefined ? {} : { BENCH_KEY: tls.key, BENCH_CERT: tls.cert },
  )
  try {
    const { port, tlsPort } = JSON.parse(line)
    await work({
      folder,
      runs,
      report,
      instance: (projects, ms) => `http://127.0.0.1:${port}/n/${projects}/ms/${ms}`,
      tls: tls && { baseUrl: `https://127.0.0.1:${tlsPort}/n/100/ms/0`, certificate: tls.cert },
    })
  } finally {
    server.stdin.end()
    await bench.close()
  }
}
