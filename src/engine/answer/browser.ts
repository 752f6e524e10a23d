/** Opens a page in the browser of the system, by the system's own program and without a shell. */
import { once } from 'node:events'
import { startProgram } from '../../base/processes.js'

/** On Windows, and from the Linux within it, as a click on a link does. */
const windows = ['rundll32.exe', 'url.dll,FileProtocolHandler'] as const

/** The program that opens what it is given, with what stands before that. */
const opener = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly string[] => {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return windows
  return env.WSL_DISTRO_NAME && !env.DISPLAY && !env.WAYLAND_DISPLAY ? windows : ['xdg-open']
}

/**
 * Hands an address to the browser and waits for nothing but that it could be started.
 * @throws Error where there is no such program
 */
export const openPage = async (
  url: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<void> => {
  const [program = '', ...args] = opener(env, platform)
  const child = await startProgram(program, [...args, url], {
    as: 'tool',
    env,
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  })
  await once(child, 'spawn')
  child.unref()
}
