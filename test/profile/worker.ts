/**
 * Runs an action of a test in a second process: `worker.ts <action> <argument …>`. It reports that it is ready, and begins when its
 * standard input ends.
 */
import { text } from 'node:stream/consumers'
import { Failure } from '../../src/errors.js'
import {
  createAuditEntry,
  getPaths,
  openAudit,
  openStore,
  openTokens,
  resolveSession,
  signIn,
} from '../../src/profile/index.js'
import type { Post } from '../../src/profile/types.js'

const [action, ...args] = process.argv.slice(2)
const getArgument = (index: number): string => args[index] ?? ''

const openStores = (directory: string) => {
  const paths = getPaths({ SVC_CONFIG_DIR: directory })
  return { store: openStore(paths), tokens: openTokens(paths, { SVC_NO_KEYRING: '1' }) }
}

const post: Post = async (url, form) => {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  return { status: answer.status, body: await answer.json() }
}

const actions: Readonly<Record<string, () => Promise<void>>> = {
  /** <directory> <prefix> <count>: logs in to this many profiles. */
  login: async () => {
    const { store, tokens } = openStores(getArgument(0))
    for (let i = 0; i < Number(getArgument(2)); i++) {
      const name = `${getArgument(1)}-${i}`
      const token = { token: `token-of-${name}`, kind: 'personal' } as const
      await signIn(store, tokens, { name, baseUrl: `https://${name}.test`, token })
    }
  },
  /** <directory> <profile>: prints the access token of the profile's session. */
  refresh: async () => {
    const session = resolveSession(
      { profile: getArgument(1) },
      {},
      { ...openStores(getArgument(0)), post },
    )
    console.log(`token ${(await session.getCredential())?.value}`)
  },
  /** <file> <user> <count>: appends this many entries. */
  audit: async () => {
    const log = openAudit(getArgument(0))
    for (let i = 0; i < Number(getArgument(2)); i++) {
      const exchange = {
        method: 'PUT',
        url: `https://h.test/${i}`,
        sudo: 'x'.repeat(300),
        status: 200,
        milliseconds: 1,
      }
      const profile = { name: 'p', baseUrl: 'https://h.test' }
      log.append(createAuditEntry(profile, exchange, getArgument(1), new Date(0)))
    }
    log.close()
  },
}

console.log('ready')
await text(process.stdin)
try {
  await actions[action ?? '']?.()
} catch (error) {
  if (!(error instanceof Failure)) throw error
  console.log(`${error.category}: ${error.message}`)
  process.exitCode = error.exitCode
}
