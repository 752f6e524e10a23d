/**
 * What a second process does in the tests of this room: `worker.ts <action> <argument …>`. It says that it
 * is ready and begins when its standard input ends.
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
const at = (index: number): string => args[index] ?? ''

const open = (directory: string) => {
  const paths = getPaths({ SVC_CONFIG_DIR: directory })
  return { store: openStore(paths), tokens: openTokens(paths, { SVC_NO_KEYRING: '1' }) }
}

const post: Post = async (url, form) => {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  return { status: answer.status, body: await answer.json() }
}

const actions: Readonly<Record<string, () => Promise<void>>> = {
  /** <directory> <prefix> <count>: signs in to so many profiles. */
  login: async () => {
    const { store, tokens } = open(at(0))
    for (let i = 0; i < Number(at(2)); i++) {
      const name = `${at(1)}-${i}`
      const token = { token: `token-of-${name}`, kind: 'personal' } as const
      await signIn(store, tokens, { name, baseUrl: `https://${name}.test`, token })
    }
  },
  /** <directory> <profile>: prints the access token of the profile's session. */
  refresh: async () => {
    const session = resolveSession({ profile: at(1) }, {}, { ...open(at(0)), post })
    console.log(`token ${(await session.getCredential())?.value}`)
  },
  /** <file> <user> <count>: appends so many entries. */
  audit: async () => {
    const log = openAudit(at(0))
    for (let i = 0; i < Number(at(2)); i++) {
      const exchange = {
        method: 'PUT',
        url: `https://h.test/${i}`,
        sudo: 'x'.repeat(300),
        status: 200,
        milliseconds: 1,
      }
      const profile = { name: 'p', baseUrl: 'https://h.test' }
      log.append(createAuditEntry(profile, exchange, at(1), new Date(0)))
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
